import { genesisState, stateProblem } from '../consensus/chainState.ts';
import type { CryptoSuite } from '../crypto/suite.ts';
import { type Sizes, USUAL_SIZES } from '../lib/sizes.ts';
import { kept, StorageFault } from '../lib/storageFault.ts';
import { StateDb, stateCacheLimits } from '../state/stateDb.ts';
import { WorldState } from '../state/worldState.ts';
import type { BlockStore } from '../store/blockStore.ts';
import { guardedKv } from '../store/guardedKv.ts';
import { ethRecordKey, HEAD_KEY } from '../store/keys.ts';
import type { KvStore } from '../store/kv.ts';
import { openStore } from '../store/recovery.ts';
import type { Roots } from '../store/roots.ts';
import type { Pause } from '../types/app.ts';
import type { BlockReader } from '../types/blockReader.ts';
import type { Genesis } from '../types/genesis.ts';
import type { ChainState } from '../types/state.ts';
import { AddressTexts } from './addressTexts.ts';
import { EvmApplication, type IndexOps } from './application.ts';
import type { AppState } from './appState.ts';
import { AppView } from './appView.ts';
import type { ChainServices } from './blockRun.ts';
import type { ChainReader, EthBlock } from './chain.ts';
import { ChainHead } from './chainHead.ts';
import { SignatureCheck } from './cosmos/verify.ts';
import { decodeEthBlock, encodeEthBlock } from './evm/blockCodec.ts';
import { EvmCalls } from './evm/call.ts';
import { createCommon, EnginePool } from './evm/engine.ts';
import type { EvmService } from './evmService.ts';
import { blockGasLimit, type GenesisMaker, initGenesis, parseGenesisAppState } from './genesis.ts';
import type { GuardFactory } from './guard.ts';
import { AppReader } from './reader.ts';
import { TxDecoder } from './tx/decoder.ts';
import type { DecodeTx } from './tx/decodeTx.ts';

export interface ApplicationOptions {
  readonly kv: KvStore;
  readonly suite: CryptoSuite;
  readonly genesis: Genesis;
  readonly pause: Pause;
  /** Makes the time limit for each execution that a reader asks for. */
  readonly guard?: GuardFactory;
  /** Replaces the core's own decoder. It may only cache that decoder's answers. */
  readonly decodeTx?: DecodeTx | undefined;
  /** An indexer's writes for the batch that commits a height. */
  readonly indexOps?: IndexOps;
  /** Replaces the core's own genesis builder. It may only cache that builder's answers. */
  readonly initGenesis?: GenesisMaker | undefined;
  readonly sizes?: Sizes | undefined;
}

export interface CreatedApplication {
  readonly app: EvmApplication;
  readonly reader: ChainReader;
  readonly evm: EvmService;
  /** The consensus state to start from: the stored one, or genesis. */
  readonly state: ChainState;
  readonly blocks: BlockReader;
  readonly store: BlockStore;
  /** Decodes a consensus transaction and caches the recovered sender. */
  readonly decoder: TxDecoder;
}

/** The node cannot start with this genesis or database. `message` is one line for the operator. */
export class StartError extends Error {
  override readonly name = 'StartError';
  readonly code: 'genesis' | 'store' | 'log';

  constructor(code: StartError['code'], message: string) {
    super(message);
    this.code = code;
  }
}

function servicesOf(
  genesis: Genesis,
  appState: AppState,
  { suite, decodeTx, sizes }: ApplicationOptions,
): ChainServices {
  const { hrp, denom, evmChainId, fork, auth, feeMarket } = appState;
  const engines = new EnginePool(createCommon(evmChainId, fork.name, suite));
  return {
    hrp,
    denom,
    texts: new AddressTexts(hrp),
    suite,
    feeMarket,
    decoder: new TxDecoder(suite, denom, hrp, { decode: decodeTx, sizes }),
    cosmos: {
      denom,
      blockGasLimit: blockGasLimit(genesis),
      minGasPrice: feeMarket.minGasPrice,
      memoBytesMax: Number(auth.maxMemoCharacters),
      txByteGas: auth.txSizeCostPerByte,
      signatures: new SignatureCheck(genesis.chainId, evmChainId, suite, sizes),
    },
    rules: { evmChainId, fork, blockGasLimit: blockGasLimit(genesis), minGasPrice: feeMarket.minGasPrice },
    execution: {
      evmChainId,
      fork,
      collectBaseFee: feeMarket.collectBaseFee,
      engines,
      suite,
      plainTransfers: 'short',
    },
  };
}

interface Start {
  readonly appState: AppState;
  readonly store: BlockStore;
  readonly state: ChainState;
  readonly roots: Roots;
  readonly ethBlock: EthBlock;
}

/** Writes height 0 into an empty database. */
async function startNew(store: BlockStore, options: ApplicationOptions): Promise<Start> {
  const { genesis, suite, kv } = options;
  const made = (options.initGenesis ?? initGenesis)(kv, genesis, suite);
  if (!made.ok) throw new StartError('genesis', `genesis: ${made.error.path}: ${made.error.message}`);
  const { appState, appHash, stateRoot, modulesRoot, ethBlock, ops } = made.value;
  const state = genesisState(genesis, { appHash, validators: [], params: undefined });
  if (!state.ok) throw new StartError('genesis', `genesis: ${stateProblem(state.error)}`);
  const roots = { stateRoot, modulesRoot };
  const eth = { hash: ethBlock.hash, record: encodeEthBlock(ethBlock) };
  await store.commitGenesis({ state: state.value, roots, eth }, ops);
  return { appState, store, state: state.value, roots, ethBlock };
}

function startStored(
  store: BlockStore,
  chain: { readonly state: ChainState; readonly roots: Roots },
  options: ApplicationOptions,
): Start {
  const { genesis, suite } = options;
  if (chain.state.chainId !== genesis.chainId) {
    const message = `the database is of chain "${chain.state.chainId}", genesis is of "${genesis.chainId}"`;
    throw new StartError('store', message);
  }
  const parsed = parseGenesisAppState(genesis, suite);
  if (!parsed.ok) throw new StartError('genesis', `genesis: ${parsed.error.path}: ${parsed.error.message}`);
  const record = kept(
    store.reads.loadEthRecord(store.reads.head()),
    'the Ethereum block of the head',
    ethRecordKey(store.reads.head()),
  );
  const ethBlock = decodeEthBlock(record, (message) => suite.keccak256(message));
  if (!ethBlock.ok)
    throw new StartError('store', `the database's Ethereum block is damaged: ${ethBlock.error}`);
  return { appState: parsed.value, store, state: chain.state, roots: chain.roots, ethBlock: ethBlock.value };
}

async function start(options: ApplicationOptions): Promise<Start> {
  const opened = openStore(options.kv, options.sizes);
  if (!opened.ok) throw new StartError('store', opened.error.message);
  const { blocks, chain } = opened.value;
  return chain === undefined ? startNew(blocks, options) : startStored(blocks, chain, options);
}

/** Opens the database (an empty one gets the genesis state) and creates the application. Rejects with StartError. */
export async function createApplication(given: ApplicationOptions): Promise<CreatedApplication> {
  const options = { ...given, kv: guardedKv(given.kv) };
  const { genesis, suite, kv, pause, sizes } = options;
  const { appState, store, state, roots, ethBlock } = await start(options);
  const services = servicesOf(genesis, appState, options);
  const db = new StateDb(kv, (message) => suite.keccak256(message), stateCacheLimits(sizes ?? USUAL_SIZES));
  const view = new AppView(store.reads.head(), WorldState.open(db, roots));
  if (view.height !== state.lastBlockHeight) throw new StorageFault('the head was another before', HEAD_KEY);
  const head = new ChainHead({
    reads: store.reads,
    db,
    initialHeight: genesis.initialHeight,
    view,
    ethBlock,
    sizes,
  });
  return {
    app: new EvmApplication({ services, store, db, head, pause, indexOps: options.indexOps, sizes }),
    reader: new AppReader(genesis.chainId, store.reads, head, services),
    evm: new EvmCalls({ services, head, db, reads: store.reads, reader: kv, guard: options.guard }),
    state,
    blocks: store.reads,
    store,
    decoder: services.decoder,
  };
}
