/** Nodes that abuse the exchange of addresses. */
import type { Bytes } from '../../core/lib/bytes.ts';
import { decodePexMessage, encodePexMessage, type NetAddress } from '../../core/p2p/pexMessages.ts';
import type { PexLie } from '../scenario/scenario.ts';
import type { ChoiceStream } from '../world/choices.ts';
import { P2P_PORT } from './addresses.ts';

export interface PexLies {
  /** What it says first on each connection. */
  greeting(): readonly Bytes[];
  /** What it says instead of this message. */
  instead(bytes: Bytes): Bytes | undefined;
}

/** As many as an answer may hold. */
const ADDRESSES = 250;
/** Requests at once; two are free. */
const ASKS = 4;

export function liesOf(lie: PexLie | undefined, dice: ChoiceStream): PexLies | undefined {
  /** Nobody lives there: every dial of one of them is lost. */
  const nowhere = (): Bytes =>
    encodePexMessage({ kind: 'addresses', addresses: Array.from({ length: ADDRESSES }, () => nobody(dice)) });
  switch (lie) {
    case undefined:
      return undefined;
    case 'unasked':
      return { greeting: () => [nowhere()], instead: () => undefined };
    case 'asks':
      return {
        greeting: () => Array.from({ length: ASKS }, () => encodePexMessage({ kind: 'request' })),
        instead: () => undefined,
      };
    case 'nowhere':
      return {
        greeting: () => [],
        instead: (bytes) => {
          const message = decodePexMessage(bytes);
          return message.ok && message.value.kind === 'addresses' ? nowhere() : undefined;
        },
      };
    default:
      return lie satisfies never;
  }
}

const nobody = (dice: ChoiceStream): NetAddress => ({
  id: Array.from({ length: 40 }, () => dice.choose(16).toString(16)).join(''),
  ip: `${20 + dice.choose(50)}.${dice.choose(256)}.${dice.choose(256)}.1`,
  port: P2P_PORT,
});
