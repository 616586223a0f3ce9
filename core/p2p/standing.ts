/** What a peer has done wrong, and until when it is not wanted. Kept by id: the id is proven, an IP may be shared. */
import { compareText } from '../lib/bytes.ts';
import type { Micros, Millis, PeerId } from '../types/ids.ts';

export interface Ban {
  readonly peer: PeerId;
  /** One line for operators. */
  readonly reason: string;
  readonly until: Micros;
  /** Bans of this peer so far, this one included: the next is longer. */
  readonly times: number;
}

interface Standing {
  /** 100 is spotless; at 0 the peer is banned. */
  score: number;
  scoredAt: Micros;
  bans: number;
  ban: Ban | undefined;
}

/** Peers remembered; ids cost nothing to make, so whoever misbehaves first is forgotten first. */
const STANDINGS_MAX = 1024;
const SCORE_MAX = 100;
/** One point a minute is forgiven. */
const FORGIVE_MICROS = 60_000_000;
const BAN_MS: Millis = 600_000;
export const BAN_MS_MAX: Millis = 86_400_000;

export class Standings {
  /** In the order of first offence. */
  readonly #standings = new Map<PeerId, Standing>();
  /** Changes with each ban. */
  version = 0;

  /** Lowers the score; the ban that follows, if one does, grows with each. `banMsMax` shortens it for peers we need. */
  fault(now: Micros, peer: PeerId, reason: string, weight: number, banMsMax: Millis): Ban | undefined {
    const standing = this.#of(now, peer);
    standing.score = this.#scoreOf(now, standing) - weight;
    standing.scoredAt = now;
    if (standing.score > 0) return undefined;
    const ms = Math.min(BAN_MS * 2 ** Math.min(standing.bans, 16), BAN_MS_MAX, banMsMax);
    return this.ban(now, peer, reason, ms);
  }

  ban(now: Micros, peer: PeerId, reason: string, ms: Millis): Ban {
    const standing = this.#of(now, peer);
    standing.bans += 1;
    standing.score = SCORE_MAX;
    standing.scoredAt = now;
    standing.ban = { peer, reason, until: now + ms * 1000, times: standing.bans };
    this.version += 1;
    return standing.ban;
  }

  /** A ban of an earlier run of this node, or another end of one in force; one that is over is forgotten. */
  restore(now: Micros, ban: Ban): void {
    if (ban.until <= now) return;
    if (!this.#standings.has(ban.peer) && this.#standings.size >= STANDINGS_MAX) return;
    const standing = this.#of(now, ban.peer);
    standing.bans = ban.times;
    standing.ban = { ...ban, until: Math.min(ban.until, now + BAN_MS_MAX * 1000) };
  }

  banOf(now: Micros, peer: PeerId): Ban | undefined {
    const ban = this.#standings.get(peer)?.ban;
    return ban !== undefined && ban.until > now ? ban : undefined;
  }

  score(now: Micros, peer: PeerId): number {
    const standing = this.#standings.get(peer);
    return standing === undefined ? SCORE_MAX : this.#scoreOf(now, standing);
  }

  /** Bans in force, sorted by peer. */
  bans(now: Micros): readonly Ban[] {
    return [...this.#standings.keys()]
      .flatMap((peer) => this.banOf(now, peer) ?? [])
      .sort((a, b) => compareText(a.peer, b.peer));
  }

  #scoreOf(now: Micros, standing: Standing): number {
    const forgiven = Math.max(0, Math.floor((now - standing.scoredAt) / FORGIVE_MICROS));
    return Math.min(SCORE_MAX, standing.score + forgiven);
  }

  #of(now: Micros, peer: PeerId): Standing {
    const known = this.#standings.get(peer);
    if (known !== undefined) return known;
    if (this.#standings.size >= STANDINGS_MAX) {
      const [first] = this.#standings.keys();
      if (first !== undefined) this.#standings.delete(first);
    }
    const fresh: Standing = { score: SCORE_MAX, scoredAt: now, bans: 0, ban: undefined };
    this.#standings.set(peer, fresh);
    return fresh;
  }
}
