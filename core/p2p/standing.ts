/** Faults and bans of peers, kept by id: an id is proven by a key, while an IP may be shared. */
import { compareText } from '../lib/bytes.ts';
import type { Micros, Millis, PeerId } from '../types/ids.ts';

export interface Ban {
  readonly peer: PeerId;
  /** One line for operators. */
  readonly reason: string;
  readonly until: Micros;
  /** Number of bans of this peer, this one included. Each is longer than the one before. */
  readonly times: number;
}

interface Standing {
  /** 100 without faults; at 0 the peer is banned. */
  score: number;
  scoredAt: Micros;
  bans: number;
  ban: Ban | undefined;
}

/** Most peers remembered. Ids cost nothing to make, so the peer that misbehaved first is forgotten first. */
const STANDINGS_MAX = 1024;
const SCORE_MAX = 100;
/** Each minute restores one point of the score. */
const FORGIVE_MICROS = 60_000_000;
const BAN_MS: Millis = 600_000;
export const BAN_MS_MAX: Millis = 86_400_000;

export class Standings {
  /** In the order of first offence. */
  readonly #standings = new Map<PeerId, Standing>();
  /** Changes with each ban. */
  version = 0;

  /** Lowers the score. A ban that follows is longer than the last one; `banMsMax` limits it for peers that we need. */
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

  /** Restores a ban of an earlier run, or changes the end of one in force. A ban that is over is ignored. */
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
