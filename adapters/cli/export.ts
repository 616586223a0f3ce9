/** `export`: the state of a height as a genesis file. */
import type { Command } from 'commander';
import { parseAppState } from '../../core/app/appState.ts';
import { type CreatedApplication, createApplication } from '../../core/app/create.ts';
import { HISTORY_ADDRESS, HISTORY_WINDOW, historySlot } from '../../core/app/evm/systemContracts.ts';
import type { EvmService } from '../../core/app/evmService.ts';
import { exportAppState, type KnownSlots } from '../../core/app/exportState.ts';
import { nextBaseFee } from '../../core/app/feemarket/baseFee.ts';
import { renderGenesis } from '../../core/codec/genesis.ts';
import { keccak256 } from '../../core/crypto/hash.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { type Bytes, EMPTY, toHex } from '../../core/lib/bytes.ts';
import { StateDb } from '../../core/state/stateDb.ts';
import { WorldState } from '../../core/state/worldState.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import type { Address } from '../../core/types/ids.ts';
import type { TraceHooks } from '../../core/types/trace.ts';
import { loadGenesis } from '../config/genesisFile.ts';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { slicedPause } from '../system.ts';
import { onStoppedNode } from './stoppedNode.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

const SSTORE = 0x55;
const WORD_BYTES = 32;

interface ExportFlags extends GlobalOptions {
  readonly height?: string;
  readonly forZeroHeight?: boolean;
  readonly modulesToExport?: string;
  readonly outputDocument?: string;
}

export function exportCommand(command: Command, world: World): void {
  command
    .option('--height <height>', 'export the state of this height (default: the newest)')
    .option('--for-zero-height', 'let the new chain begin at height 1 instead of the next height')
    .option('--modules-to-export <list>', 'only these sections of app_state, separated by commas')
    .option('--output-document <file>', 'write it there (default: standard output)')
    .description('Prints the state of a stopped node as a genesis, from which a new chain can begin.')
    .action(() => exportState(command.optsWithGlobals(), world));
}

async function exportState(flags: ExportFlags, world: World): Promise<void> {
  const { files } = loadNodeConfig(homeFrom(flags, world), new Map(), world.env);
  await onStoppedNode(files, 'export', async (kv) => {
    const genesis = loadGenesis(files.genesis);
    const chain = await createApplication({ kv, suite: nobleSuite, genesis, pause: slicedPause() });
    const stateDb = new StateDb(kv, keccak256);
    const exported = await exportedGenesis(chain, stateDb, genesis, flags, (text) => world.err(text));
    const text = renderGenesis(exported);
    const { outputDocument: file } = flags;
    if (file === undefined) world.out(text);
    else onFile('write', file, () => replaceFile(file, Buffer.from(text), 0o644));
  });
}

function heightOf({ height }: ExportFlags, { reader }: CreatedApplication): number {
  const head = reader.head();
  if (head === 0) throw new OperatingError('the chain has no block yet: its genesis.json is its state');
  if (height === undefined || height === '-1') return head;
  const asked = /^[1-9]\d{0,14}$/.test(height) ? Number(height) : Number.NaN;
  if (!(asked >= 1 && asked <= head))
    throw new OperatingError(`--height: expected a height from 1 to ${head}, found ${height}`);
  return asked;
}

async function exportedGenesis(
  chain: CreatedApplication,
  db: StateDb,
  genesis: Genesis,
  flags: ExportFlags,
  tell: (text: string) => void,
): Promise<Genesis> {
  const { reader } = chain;
  const height = heightOf(flags, chain);
  const view = reader.view(height);
  const ethBlock = reader.ethBlock(height);
  const [validators, params] = [reader.validators(height + 1), reader.params(height + 1)];
  const meta = reader.blockMeta(height);
  if (
    view === undefined ||
    ethBlock === undefined ||
    validators === undefined ||
    params === undefined ||
    meta === undefined
  )
    throw new OperatingError(`state of height ${height} is not kept`);
  const began = parseAppState(genesis.appState, genesis.chainId, keccak256);
  if (!began.ok) throw new OperatingError(`genesis: ${began.error.path}: ${began.error.message}`);
  const { hrp, denom, feeMarket } = began.value;
  const slots = await slotsUpTo(height, chain, genesis, began.value.accounts, tell);
  const appState = exportAppState({
    world: WorldState.open(db, view),
    view,
    db,
    hrp,
    denom,
    genesis: (genesis.appState ?? {}) as Readonly<Record<string, unknown>>,
    baseFee: nextBaseFee(ethBlock.header, feeMarket),
    slots,
  });
  if (!appState.ok) throw new OperatingError(appState.error.message);
  const names = new Map(genesis.validators.map(({ address, name }) => [toHex(address), name]));
  return {
    ...genesis,
    genesisTime: meta.header.time,
    initialHeight: flags.forZeroHeight === true ? 1 : height + 1,
    params,
    validators: validators.validators.map(({ address, pubKey, power }) => ({
      address,
      pubKey,
      power,
      name: names.get(toHex(address)) ?? '',
    })),
    appHash: EMPTY,
    appState: only(appState.value, flags.modulesToExport),
  };
}

function only(state: Readonly<Record<string, unknown>>, list: string | undefined) {
  if (list === undefined) return state;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.find((name) => !Object.hasOwn(state, name));
  if (unknown !== undefined)
    throw new OperatingError(`--modules-to-export: ${unknown} is none of ${Object.keys(state).join(', ')}`);
  return Object.fromEntries(names.map((name) => [name, state[name]]));
}

/** Slots by contract, collected while every block runs again. */
class SlotBook implements KnownSlots {
  readonly #slots = new Map<string, Map<string, Bytes>>();

  note(address: Address, slot: Bytes): void {
    const key = toHex(address);
    const known = this.#slots.get(key) ?? new Map<string, Bytes>();
    this.#slots.set(key, known);
    known.set(toHex(slot), slot);
  }

  slotsOf(address: Address): Iterable<Bytes> {
    return this.#slots.get(toHex(address))?.values() ?? [];
  }
}

const wordOf = (value: bigint): Bytes =>
  new Uint8Array(Buffer.from(value.toString(16).padStart(2 * WORD_BYTES, '0'), 'hex'));

/** All slots that contracts have written since genesis: the state only stores their hashes. */
async function slotsUpTo(
  height: number,
  { reader, evm }: Pick<CreatedApplication, 'reader'> & { readonly evm: EvmService },
  genesis: Genesis,
  accounts: readonly { readonly address: Address; readonly storage: readonly { readonly slot: Bytes }[] }[],
  tell: (text: string) => void,
): Promise<SlotBook> {
  const book = new SlotBook();
  for (const { address, storage } of accounts) for (const { slot } of storage) book.note(address, slot);
  for (let number = 0; number < HISTORY_WINDOW; number++) book.note(HISTORY_ADDRESS, historySlot(number));
  const hooks: TraceHooks = {
    step({ code, address, stack }) {
      const slot = stack.at(-1);
      if (code === SSTORE && slot !== undefined) book.note(address, wordOf(slot));
    },
  };
  for (let at = genesis.initialHeight; at <= height; at++) {
    const block = reader.ethBlock(at);
    if (block === undefined || block.transactions.length === 0) continue;
    const isReplayed = await evm.replay(at, () => hooks);
    if (!isReplayed) tell(`block ${at} is not kept: slots that only it names cannot be exported\n`);
  }
  return book;
}
