import type { CryptoSuite } from '../../crypto/suite.ts';
import type { Sealed } from '../../state/seal.ts';
import { StateDb, type StateReader } from '../../state/stateDb.ts';
import { WorldState } from '../../state/worldState.ts';
import { MemoryKv } from '../../store/memoryKv.ts';
import { AppView } from '../appView.ts';
import type { EthHeader } from '../chain.ts';

/** Cache sizes of a state that serves one request. */
const DRAFT_CACHES = { nodesMax: 1 << 10, codesMax: 64, keyHashesMax: 1 << 10, accountsMax: 4096 };

/** The uncommitted state after a block or within one. Calls on it run in that block. */
export class DraftView extends AppView {
  readonly header: EthHeader;

  private constructor(world: WorldState, header: EthHeader) {
    super(header.number, world);
    this.header = header;
  }

  /** A view of the sealed writes on top of the stored state. */
  static over(reader: StateReader, sealed: Sealed, header: EthHeader, suite: CryptoSuite): DraftView {
    const fresh = new MemoryKv();
    fresh.apply(sealed.ops);
    const both = { get: (key: Uint8Array) => fresh.get(key) ?? reader.get(key) };
    return new DraftView(WorldState.open(new StateDb(both, suite.keccak256, DRAFT_CACHES), sealed), header);
  }
}
