import { readDoc } from '../shrink/document.ts';
import { drawSwarm } from '../swarm/draw.ts';
import { pick } from '../swarm/pick.ts';
import { Choices } from '../world/choices.ts';
import { valuesOf } from './exchange.ts';
import { mixed } from './mix.ts';

export interface Written {
  /** The file, or `swarm N` for the world that `--swarm --seed N` draws. */
  readonly name: string;
  readonly text: string;
}

export interface Mix {
  readonly text: string;
  /** Names of the two scenarios in it. */
  readonly of: readonly [string, string];
}

/** In ten mixes, as many have a drawn world as their first half. */
const DRAWN_IN_TEN = 3;
/** Seeds of drawn worlds that no sweep of usual size comes across. */
const DRAWN_SEEDS = 2 ** 31;
/** Pairs in a row that do not fit together, after which there is nothing to be expected any more. */
const MISFITS_MAX = 200;

/** Mixes of two scenarios each, named `mix-1`, `mix-2`, … It ends when the scenarios do not fit together. */
export function* mixes(scenarios: readonly Written[], seed: string): Generator<Mix, void> {
  const values = valuesOf(scenarios.map(({ text }) => readDoc(text)));
  let misfits = 0;
  for (let pair = 1, made = 0; misfits < MISFITS_MAX; pair++) {
    const choices = new Choices({ seed: `${seed}/${pair}` });
    const stream = choices.stream('mixes/pair');
    const second = pick(stream, scenarios);
    const first =
      stream.choose(10) < DRAWN_IN_TEN ? drawnWorld(stream.choose(DRAWN_SEEDS)) : pick(stream, scenarios);
    const text =
      first.name === second.name
        ? undefined
        : mixed(first.text, second.text, `mix-${made + 1}`, values, choices);
    if (text === undefined) misfits++;
    else {
      [misfits, made] = [0, made + 1];
      yield { text, of: [first.name, second.name] };
    }
  }
}

const drawnWorld = (seed: number): Written => ({ name: `swarm ${seed}`, text: drawSwarm(String(seed)) });
