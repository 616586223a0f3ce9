import { offenderCount } from '../../../core/app/evidence/keeper.ts';
import { HISTORY_ADDRESS, HISTORY_WINDOW, historySlot } from '../../../core/app/evm/systemContracts.ts';
import { exportAppState } from '../../../core/app/exportState.ts';
import { initGenesis } from '../../../core/app/genesis.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { type Bytes, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { StateDb } from '../../../core/state/stateDb.ts';
import { WorldState } from '../../../core/state/worldState.ts';
import type { KvStore } from '../../../core/store/kv.ts';
import { MemoryKv } from '../../../core/store/memoryKv.ts';
import { baseFeeAfter, type FeeMarket } from '../../clients/answers/feeMarket.ts';
import type { Reruns } from '../../reference/reruns.ts';
import { unlike } from '../questions.ts';

/** A chain that starts from another chain's export has that chain's state, down to the roots. */
export async function wrongExport(
  rpc: RpcContext,
  suite: CryptoSuite,
  kv: Pick<KvStore, 'get'>,
  market: FeeMarket,
  reruns: Reruns,
): Promise<string | undefined> {
  const { chain, genesis } = rpc;
  const view = chain.latest();
  const head = chain.ethBlock(chain.head());
  const known = reruns.slotsOf(chain);
  if (known === undefined || head === undefined) return undefined;
  const keccak256 = (message: Bytes): Bytes => suite.keccak256(message);
  const db = new StateDb(kv, keccak256);
  // Genesis may already contain the history slots of an earlier chain.
  const isOlder = (chain.view(0)?.storageRange(HISTORY_ADDRESS, new Uint8Array(32), 1).length ?? 1) > 0;
  const ring = isOlder ? Array.from({ length: HISTORY_WINDOW }, (_, i) => historySlot(i)) : [];
  const exported = exportAppState({
    world: WorldState.open(db, view),
    view,
    db,
    hrp: chain.hrp,
    denom: chain.denom,
    genesis: (genesis.appState ?? {}) as Readonly<Record<string, unknown>>,
    baseFee: baseFeeAfter(head.header, market),
    slots: {
      slotsOf: (address) => [...known(address), ...(equalBytes(address, HISTORY_ADDRESS) ? ring : [])],
    },
  });
  if (!exported.ok) return `exports nothing: ${exported.error.message}`;
  const begun = initGenesis(
    new MemoryKv(),
    { ...genesis, initialHeight: chain.head() + 1, appState: exported.value },
    suite,
  );
  if (!begun.ok) return `exports what nobody can begin with: ${begun.error.path}: ${begun.error.message}`;
  const { stateRoot, modulesRoot, ethBlock } = begun.value;
  return (
    unlike('an export with the state', toHex(stateRoot), toHex(view.stateRoot)) ??
    unlike(
      'an export with the base fee',
      String(ethBlock.header.baseFeePerGas),
      String(baseFeeAfter(head.header, market)),
    ) ??
    // Offences of validators belong to their own chain and are not exported.
    (offenderCount(view) > 0n
      ? undefined
      : unlike('an export with the modules', toHex(modulesRoot), toHex(view.modulesRoot)))
  );
}
