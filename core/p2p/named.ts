import { err, ok, type Result } from '../lib/result.ts';
import type { PeerId } from '../types/ids.ts';
import { DialPlan } from './dialPlan.ts';
import type { PeerAddress } from './peerAddress.ts';
import type { DialOrder, PeersConfig } from './peersContract.ts';

/** Most peers of each kind that the operator of a running node can name. */
const NAMED_MAX = 1000;

/** The peers that the operator named, in the configuration or at run time. */
export class Named {
  readonly persistent: DialPlan;
  readonly privateIds: Set<PeerId>;
  readonly #unconditional: Set<PeerId>;

  constructor(config: PeersConfig, persistent: readonly PeerAddress[], choose: (n: number) => number) {
    const dialMsMax = config.persistentDialMsMax > 0 ? config.persistentDialMsMax : undefined;
    this.persistent = new DialPlan(persistent, choose, dialMsMax);
    this.privateIds = new Set(config.privateIds);
    this.#unconditional = new Set(config.unconditional);
  }

  /** Connection limits do not apply to these peers. */
  isNeeded(peer: PeerId): boolean {
    return this.#unconditional.has(peer) || this.isPlanned(peer);
  }

  /** The peer is dialled by its own plan, with its own waits, and not picked from the address book. */
  isPlanned(peer: PeerId): boolean {
    return this.persistent.addressOf(peer) !== undefined;
  }

  /** Remembers the peers of an order as the order asks. Takes all of them or none. */
  add({ peers, persistent, unconditional, isPrivate }: DialOrder): Result<void, string> {
    const fullest = Math.max(this.persistent.size, this.#unconditional.size, this.privateIds.size);
    if (fullest + peers.length > NAMED_MAX) return err(`more than ${NAMED_MAX} peers would be named`);
    for (const address of peers) {
      if (persistent) this.persistent.add(address);
      if (unconditional) this.#unconditional.add(address.id);
      if (isPrivate) this.privateIds.add(address.id);
    }
    return ok(undefined);
  }
}
