import { POWER_LOSSES } from '../disk/powerLoss.ts';
import type { ChoiceStream } from '../world/choices.ts';
import type { Drawn } from './drawn.ts';
import { pick } from './pick.ts';
import { isTolerable, type Powers } from './powers.ts';

/** Faults of one node, from a time on that is in tenths of a second. */
type Damage = (stream: ChoiceStream, victim: string, tenths: number) => readonly object[];

const at = (tenths: number): string => `${tenths / 10}s`;

/** A crash, damage while the node is down, and a restart. */
const whileDown =
  (harm: (stream: ChoiceStream, victim: string) => object, awayMax: number): Damage =>
  (stream, victim, tenths) => [
    { at: at(tenths), do: { crash: victim, power_loss: pick(stream, POWER_LOSSES) } },
    { at: at(tenths + 1), do: harm(stream, victim) },
    { at: at(tenths + stream.between(2, awayMax)), do: { restart: victim } },
  ];

/** Damages a running node several times. Then an operator finds it stopped, or stops it, and restarts it. */
const atWork =
  (faults: readonly string[]): Damage =>
  (stream, victim, tenths) => [
    ...Array.from({ length: 1 + stream.choose(3) }, (_, i) => ({
      at: at(tenths + 4 * i),
      do: { disk: { target: victim, fault: pick(stream, faults) } },
    })),
    ...(stream.choose(2) === 0 ? [] : [{ at: at(tenths + 15), do: { crash: victim } }]),
    { at: at(tenths + 20 + stream.choose(40)), do: { restart: victim } },
  ];

const DAMAGES: readonly Damage[] = [
  whileDown(
    (stream, target) => ({
      disk: {
        target,
        fault: pick(stream, ['torn', 'flip']),
        ...(stream.choose(2) === 0
          ? {}
          : { at: pick(stream, ['last_record', 'any_record', 'first_record']) }),
      },
    }),
    50,
  ),
  whileDown(
    (stream, target) => ({ disk: { target, fault: 'torn', keep: pick(stream, ['random', 0, 4, 8, 30]) } }),
    50,
  ),
  whileDown((_, target) => ({ disk: { target, fault: 'truncate' } }), 50),
  whileDown((stream, target) => ({ disk: { target, fault: pick(stream, ['lost_batch', 'stale']) } }), 50),
  whileDown((_, wipe) => ({ wipe }), 300),
  atWork(['rot', 'misplaced']),
  atWork(['stale', 'unreadable']),
  atWork(['eio']),
  (stream, victim, tenths) => [
    {
      at: at(tenths),
      do: {
        clock: { target: victim, jump: `${pick(stream, ['+', '-'])}${pick(stream, ['300ms', '4s', '1h'])}` },
      },
    },
  ],
  (stream, victim, tenths) => [
    { at: at(tenths), do: { rollback: victim, hard: true }, for: at(5 + stream.choose(30)) },
  ],
];

/** An operator restores an old last-signed state. The validator must find newer signatures in its WAL or chain. */
const RESTORED = whileDown((_, target) => ({ disk: { target, fault: 'old_copy', file: 'signer' } }), 50);

/**
 * Sometimes a machine breaks its promises: a disk forgets or lies, or is replaced, a clock jumps, an operator takes a
 * block back. It is always the same machine. With the liars it has less than a third of the power, because it may have
 * forgotten what it promised.
 * @param stages The powers at genesis and after each update.
 * @param only Nodes through which alone another node hears of the chain: if they refuse to go on, it cannot.
 */
export function drawDamage(
  { choices, rarely, correct, liars, troubleSeconds }: Drawn,
  stages: readonly Powers[],
  only: readonly string[],
): readonly object[] {
  const stream = choices.stream('damage');
  if (!rarely(stream, 3)) return [];
  const fit = correct.filter(
    (name) =>
      !only.includes(name) &&
      stages.every((powers) => isTolerable(powers, [...liars, ...(name in powers ? [name] : [])])),
  );
  if (fit.length === 0) return [];
  const victim = pick(stream, fit);
  // Nobody could notice an old state if the WAL were damaged as well, so nothing else happens to that machine.
  if (stream.choose(8) === 0) return RESTORED(stream, victim, stream.choose(troubleSeconds * 10));
  return Array.from({ length: 1 + stream.choose(3) }, (_, i) => {
    const own = choices.stream(`damage/${i}`);
    return pick(own, DAMAGES)(own, victim, own.choose(troubleSeconds * 10));
  }).flat();
}
