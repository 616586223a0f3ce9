import { err, ok, type Result } from '../../core/lib/result.ts';
import { POWER_LOSSES, type PowerLoss } from '../disk/powerLoss.ts';
import { CRASH_POINTS, type CrashPoint } from '../machine/life.ts';
import type { NodeFactory } from '../machine/simNode.ts';
import { type RunOptions, runScenario } from '../run.ts';
import type { ScenarioError } from '../scenario/cursor.ts';

/** One crash: at one effect boundary, with one power loss for the bytes that are not synced. */
export interface CrashCase {
  readonly name: string;
  readonly point: CrashPoint;
  /** The n-th time that the victim passes the point, counted from the first height on. */
  readonly count: number;
  readonly powerLoss: PowerLoss;
  /** A complete scenario. */
  readonly text: string;
}

export interface MatrixOptions {
  readonly validators: number;
  readonly victim: string;
  /** Boundaries while the victim works on these heights, both ends included. */
  readonly from: number;
  readonly to: number;
}

export const DEFAULT_MATRIX: MatrixOptions = { validators: 4, victim: 'v1', from: 2, to: 4 };

/** Heights decided after the last crash: enough to see what it broke. */
const HEIGHTS_AFTER = 3;

function scenarioText({ validators, victim, from, to }: MatrixOptions, name: string, crash: string): string {
  return `# The machine of ${victim} fails at one effect boundary, and starts again after a second.
# A correct node continues from its disk: nothing is signed twice, nothing decided is lost, nobody is told otherwise.
name: ${name}
engine: {crypto: keyed-hash}
validators: {count: ${validators}}
clients:
  - {name: alice, kind: evm, at: v0, rate: 2/s, args: {accounts: 1, count: 4}}
timeline:
  - {when: {height: ${from}}, on: ${victim}, do: ${crash}, for: 1s}
expect:
  - {liveness: {heights: ${to + HEIGHTS_AFTER}, within: 120s}}
until: {height: ${to + HEIGHTS_AFTER}}
`;
}

/** Counts the boundaries that the victim passes, without changing the run. */
function counting(
  { victim, from, to }: MatrixOptions,
  counts: Map<CrashPoint, number>,
): NonNullable<RunOptions['nodes']> {
  return (real: NodeFactory): NodeFactory =>
    async (env) => {
      if (env.name !== victim) return real(env);
      let height = (): number => 0;
      const pass = (...points: readonly CrashPoint[]): void => {
        if (height() < from || height() > to) return;
        for (const point of points) counts.set(point, (counts.get(point) ?? 0) + 1);
      };
      const node = await real({
        ...env,
        kv: {
          get: (key) => env.kv.get(key),
          range: (range) => env.kv.range(range),
          batch(ops) {
            pass('batch', 'batched');
            return env.kv.batch(ops);
          },
        },
        append(records, durable) {
          pass('append', 'durable');
          env.append(records, durable);
        },
        perform(effect) {
          const { kind } = effect;
          if (kind === 'sign') pass('sign', 'signed');
          else if (kind === 'send' || kind === 'app' || kind === 'turnover') pass(kind);
          env.perform(effect);
        },
      });
      height = () => node.position().height;
      return node;
    };
}

/**
 * Every effect boundary that the victim passes while it works on the heights, with each power loss. The boundaries are
 * those of one run without a crash. Each case is the same as that run up to its crash.
 */
export async function crashMatrix(
  options: MatrixOptions,
  seed: string,
): Promise<Result<readonly CrashCase[], ScenarioError>> {
  const counts = new Map<CrashPoint, number>();
  // The same timeline with a crash that never comes, so that all choices are drawn as in the cases.
  const never = `{crash: ${options.victim}, point: turnover, count: 1000000}`;
  const counted = await runScenario(scenarioText(options, 'crash-matrix', never), {
    seed,
    nodes: counting(options, counts),
  });
  if (!counted.ok) return err(counted.error);
  const cases: CrashCase[] = [];
  for (const point of CRASH_POINTS) {
    for (let count = 1; count <= (counts.get(point) ?? 0); count++) {
      for (const powerLoss of POWER_LOSSES) {
        const name = `crash-${point}-${count}-${powerLoss}`;
        const crash = `{crash: ${options.victim}, point: ${point}, count: ${count}, power_loss: ${powerLoss}}`;
        cases.push({ name, point, count, powerLoss, text: scenarioText(options, name, crash) });
      }
    }
  }
  return ok(cases);
}
