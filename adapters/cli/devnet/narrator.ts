import { toEip55 } from '../../../core/address/eip55.ts';
import type { EthBlock, EthTx } from '../../../core/app/chain.ts';
import { type Bytes, to0xHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { revertReason } from '../../../core/rpc/eth/revert.ts';
import type { TraceHooks } from '../../../core/types/trace.ts';
import { oneLine } from '../../log/logger.ts';
import { bigintToDecimal18 } from './coins.ts';
import { ConsoleLines, ConsoleLog } from './consoleLog.ts';

/** Maximum transactions printed per block: each runs again to be printed. */
const TOLD_MAX = 50;

/** Console lines and outcome of one transaction. */
class Heard extends ConsoleLines implements TraceHooks {
  vmError: string | undefined;
  output: Bytes = new Uint8Array(0);
  end({ vmError, returnValue }: Parameters<NonNullable<TraceHooks['end']>>[0]): void {
    this.vmError = vmError;
    this.output = returnValue;
  }
}

/** The outcome, with the same error text that a call would get. */
function outcomeOf({ vmError, output }: Heard): string {
  if (vmError === undefined) return 'ok';
  if (vmError !== 'execution reverted') return `failed: ${vmError}`;
  const reason = revertReason(output);
  if (reason !== undefined) return `reverted: ${reason}`;
  return output.length === 0 ? 'reverted' : `reverted with ${to0xHex(output.subarray(0, 68))}`;
}

const receiverOf = (tx: EthTx, created: Bytes | undefined): string =>
  tx.to === undefined ? `new ${created === undefined ? 'contract' : toEip55(created)}` : toEip55(tx.to);

/**
 * Prints a line for each transaction of a block, with the reason if it failed, and the lines that its contracts logged
 * through hardhat's console.log. Each transaction runs a second time, so this is for development only.
 */
export class Narrator {
  readonly #rpc: RpcContext;
  readonly #out: (text: string) => void;
  readonly #console: ConsoleLog;
  #last: Promise<void> = Promise.resolve();

  constructor(rpc: RpcContext, out: (text: string) => void) {
    this.#rpc = rpc;
    this.#out = out;
    this.#console = new ConsoleLog(rpc.suite);
  }

  start(): void {
    this.#rpc.hub.listen((event) => {
      if (event.kind === 'committed') this.tell(event.block.header.height);
    });
  }

  /** Resolves when everything started so far is printed. */
  get told(): Promise<void> {
    return this.#last;
  }

  tell(height: number): void {
    const block = this.#rpc.chain.ethBlock(height);
    if (block === undefined || block.transactions.length === 0) return;
    this.#last = this.#last
      .then(() => this.#tell(height, block))
      .catch((error: unknown) => {
        this.#out(oneLine(`block ${height} cannot be told: ${String(error)}`));
      });
  }

  async #tell(height: number, block: EthBlock): Promise<void> {
    const told = block.transactions.slice(0, TOLD_MAX);
    const heard = told.map(() => new Heard(this.#console));
    await this.#rpc.evm.replay(height, (_tx, index) => heard[index], told.length);
    for (const [i, tx] of told.entries()) {
      const receipt = block.receipts[i];
      const story = heard[i];
      if (receipt === undefined || story === undefined) continue;
      const words = [
        `  tx ${to0xHex(tx.hash)}`,
        `type ${tx.type}`,
        `${toEip55(tx.from)} → ${receiverOf(tx, receipt.contractAddress)}`,
        `value ${bigintToDecimal18(tx.value)}`,
        `gas ${receipt.gasUsed} of ${tx.gasLimit}`,
        receipt.status === 1 ? 'ok' : outcomeOf(story),
      ];
      this.#out(oneLine(words.join('  ')));
      for (const line of story.shown()) this.#out(line);
    }
    const untold = block.receipts.slice(TOLD_MAX);
    const failed = untold.filter(({ status }) => status === 0).length;
    if (untold.length > 0) this.#out(`  and ${untold.length} more, ${failed} of them failed`);
  }
}
