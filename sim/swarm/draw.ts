import { stringify } from 'yaml';
import { BEHAVIOURS } from '../byzantine/registry.ts';
import { type ChoiceStream, Choices } from '../choices.ts';
import { POWER_LOSSES } from '../disk/powerLoss.ts';
import { CRASH_POINTS } from '../life.ts';
import { drawReserve, drawUpdates } from './drawUpdates.ts';
import { pick, seconds } from './pick.ts';

/** Faults happen before this virtual second; afterwards the cluster has all the time it needs. */
const TROUBLE_SECONDS_MAX = 40;
const TIME_MAX = '3600s';

interface Drawn {
  readonly choices: Choices;
  readonly names: readonly string[];
  /** Names of those that lie; less than a third of the power. */
  readonly liars: readonly string[];
  readonly correct: readonly string[];
  /** The height before the first. */
  readonly before: number;
}

/**
 * A whole world drawn from one seed, as the text of a scenario: how many validators of what power, how bad the network
 * is, who lies and how, what breaks when. Many features are off in any one world; that is why rare mixtures get deep.
 * Each part has a choice stream of its own, so a new kind of fault leaves the rest of a seed's world as it was.
 */
export function drawSwarm(seed: string): string {
  const choices = new Choices({ seed: `swarm/${seed}` });
  const powers = { ...drawPowers(choices), ...drawReserve(choices) };
  const liars = drawLiars(choices, powers);
  const nodes = drawNodes(
    choices,
    Object.keys(powers).filter((name) => !liars.includes(name)),
  );
  const twins = drawTwins(choices, liars);
  const names = [...Object.keys(powers), ...Object.keys(twins), ...Object.keys(nodes)];
  const genesis = drawGenesis(choices);
  const before = Number(genesis?.['initial_height'] ?? 1) - 1;
  const updates = drawUpdates(choices, powers, liars, before);
  const correct = names.filter((name) => !liars.includes(name) && twins[name] === undefined);
  const drawn: Drawn = { choices, names, liars, correct, before };
  // Who fetches blocks believes in streams: there a frame that is lost, repeated or early is a peer's fault.
  const isSynced = choices.choose('blockSync', 5) === 4;
  const clients = drawClients(drawn);
  const timeline = drawTimeline(drawn, isSynced ? FAULTS.filter((fault) => fault !== LOSSY_LINK) : FAULTS);
  const byzantine = drawByzantine(drawn);
  const height = before + 4 + choices.choose('height', 9);
  return stringify(
    {
      name: `swarm-${seed.replaceAll('.', '_').slice(0, 26)}`,
      seed,
      engine: {
        crypto: 'keyed-hash',
        time_max: TIME_MAX,
        ...drawTimes(choices),
        ...(isSynced ? { block_sync: true } : {}),
        ...(choices.choose('index', 6) === 5 ? { index: false } : {}),
      },
      ...(genesis === undefined ? {} : { genesis }),
      validators: {
        ...Object.fromEntries(Object.entries(powers).map(([name, power]) => [name, { power }])),
        ...twins,
      },
      ...(updates.length === 0 ? {} : { updates }),
      ...(Object.keys(nodes).length === 0 ? {} : { nodes }),
      network: drawNetwork(choices, isSynced),
      ...(clients.length === 0 ? {} : { clients }),
      ...(timeline.length === 0 ? {} : { timeline }),
      ...(byzantine.length === 0 ? {} : { byzantine }),
      until: { height },
    },
    { flowCollectionPadding: false, collectionStyle: 'any', lineWidth: 110, aliasDuplicateObjects: false },
  );
}

/** How long nodes wait for each other, as an operator may set it. */
function drawTimes(choices: Choices): object {
  const stream = choices.stream('times');
  const millis = (list: readonly number[]): string => `${pick(stream, list)}ms`;
  // They grow fast enough to outlast the network within a dozen rounds.
  const delta = millis([300, 500, 1000]);
  const timeouts = (['propose', 'prevote', 'precommit'] as const).flatMap((step) => [
    [`timeout_${step}`, millis([50, 300, 1000, 4000])],
    [`timeout_${step}_delta`, delta],
  ]);
  return {
    block_time: millis([1000, 1000, 300, 100]),
    ...(stream.choose(6) === 5 ? { skip_timeout_commit: true } : {}),
    ...(stream.choose(8) === 7 ? { empty_blocks_interval: millis([200, 1000, 3000]) } : {}),
    ...(stream.choose(4) === 3 ? Object.fromEntries(timeouts) : {}),
  };
}

/** Now and then a liar's key is used by two nodes. */
function drawTwins(choices: Choices, liars: readonly string[]): Readonly<Record<string, object>> {
  const stream = choices.stream('twins');
  const liar = liars[0];
  return liar === undefined || stream.choose(5) < 4 ? {} : { [`${liar}b`]: { twin_of: liar } };
}

/** Now and then a node without a vote, which knows everyone or one honest validator. */
function drawNodes(choices: Choices, honest: readonly string[]): Readonly<Record<string, object>> {
  const stream = choices.stream('nodes');
  if (stream.choose(5) < 4) return {};
  return { full0: stream.choose(2) === 0 ? {} : { peers: [pick(stream, honest)] } };
}

/** Now and then a chain that does not begin at height 1, has small blocks or soon forgets offences. */
function drawGenesis(choices: Choices): Readonly<Record<string, number | string>> | undefined {
  const stream = choices.stream('genesis');
  if (stream.choose(4) < 3) return undefined;
  return {
    initial_height: pick(stream, [1, 2, 100]),
    block_bytes: pick(stream, [8_000, 100_000]),
    evidence_bytes: pick(stream, [1_000, 4_000]),
    evidence_blocks: pick(stream, [2, 5, 100]),
    evidence_time: `${pick(stream, [1, 5, 100])}s`,
  };
}

function drawPowers(choices: Choices): Record<string, number> {
  const stream = choices.stream('validators');
  const count = pick(stream, [4, 4, 4, 5, 6, 7, 3, 2, 1]);
  const isEqual = stream.choose(3) < 2;
  const powers: Record<string, number> = {};
  for (let i = 0; i < count; i++) powers[`v${i}`] = isEqual ? 10 : 1 + stream.choose(20);
  return powers;
}

/** As many as fit below a third of the power, and sometimes none. */
function drawLiars(choices: Choices, powers: Record<string, number>): readonly string[] {
  const stream = choices.stream('liars');
  if (stream.choose(3) === 0) return [];
  const total = Object.values(powers).reduce((sum, power) => sum + power, 0);
  const left = Object.keys(powers);
  const liars: string[] = [];
  let faulty = 0;
  while (left.length > 0) {
    const name = left.splice(stream.choose(left.length), 1)[0] as string;
    const power = powers[name] as number;
    if (3 * (faulty + power) >= total) continue;
    faulty += power;
    liars.push(name);
    if (stream.choose(2) === 0) break;
  }
  return liars.sort();
}

function drawNetwork(choices: Choices, isStream: boolean): Record<string, string> {
  const stream = choices.stream('network');
  const low = pick(stream, [10, 1, 5, 50]);
  const high = low + pick(stream, [90, 10, 200, 500, 1500]);
  const faults: Record<string, string> = { delay: `${low}ms-${high}ms` };
  const percent = (name: string, values: readonly number[]): void => {
    if (stream.choose(3) === 2 && (name === 'reset' || !isStream)) faults[name] = `${pick(stream, values)}%`;
  };
  percent('loss', [1, 3, 10, 20]);
  percent('dup', [1, 5, 20]);
  percent('reorder', [1, 5, 30]);
  percent('corrupt', [0.1, 1]);
  percent('reset', [0.1, 0.5]);
  if (stream.choose(6) === 5) faults['rate'] = `${pick(stream, [500, 200, 80])}kB/s`;
  return faults;
}

/** What a world's clients may be, the cheap ones more often. */
const CLIENTS: readonly object[] = [
  { kind: 'evm' },
  { kind: 'evm' },
  { kind: 'evm' },
  { kind: 'bank' },
  { kind: 'evm', script: 'features' },
  { kind: 'evm', script: 'contracts' },
  { kind: 'evm', script: 'erc20-churn', args: { accounts: 4, revert_ratio: 0.2 } },
  { kind: 'eth' },
  { kind: 'ws', args: { query: "tm.event='NewBlock'", reads: 5, room: 20_000 } },
  { kind: 'ws', subscribe: ['newHeads', 'logs'] },
];

function drawClients({ choices, correct }: Drawn): readonly object[] {
  const stream = choices.stream('clients');
  const count = pick(stream, [0, 0, 0, 0, 1, 1, 1, 2]);
  return Array.from({ length: count }, (_, i) => {
    const client = pick(stream, CLIENTS) as { readonly kind: string; readonly args?: object };
    const isWallet = client.kind === 'evm' || client.kind === 'bank';
    const rate = { ['subscribe' in client ? 'read_rate' : 'rate']: `${1 + stream.choose(4)}/s` };
    const args = { accounts: 1 + stream.choose(4), count: 5 + stream.choose(20) };
    const what = isWallet && client.args === undefined ? { args } : {};
    return { name: `client${i}`, at: pick(stream, correct), ...rate, ...what, ...client };
  });
}

function drawByzantine({ choices, names, liars, before }: Drawn): readonly object[] {
  return liars.flatMap((who) => {
    const stream = choices.stream(`byzantine/${who}`);
    return Array.from({ length: 1 + stream.choose(3) }, () => {
      const { alias, words } = pick(stream, BEHAVIOURS);
      const isPlain = stream.choose(2) === 0;
      const args = Object.entries(isPlain ? {} : (words ?? {})).map(([key, values]) => [
        key,
        pick(stream, values),
      ]);
      const others = names.filter((name) => name !== who);
      const audience = others.filter(() => stream.choose(2) === 1);
      const isAll = stream.choose(3) === 0 || audience.length === 0;
      const from = before + 1 + stream.choose(4);
      const when = [
        undefined,
        { chance: 0.5 },
        { height: `${from}..${from + stream.choose(4)}` },
        { round: 0 },
        { round: '1..' },
      ][stream.choose(5)];
      return {
        who,
        behaviour: alias,
        ...(args.length === 0 ? {} : { args: Object.fromEntries(args) }),
        ...(when === undefined ? {} : { when }),
        ...(isAll ? {} : { to: audience }),
      };
    });
  });
}

type Fault = (stream: ChoiceStream, drawn: Drawn) => object;

const LOSSY_LINK: Fault = (stream, { names }) => ({
  do: { link: { from: [pick(stream, names)], loss: `${10 + stream.choose(91)}%` } },
  for: seconds(stream, 1, 15),
});

const FAULTS: readonly Fault[] = [
  (stream, { names }) => ({ do: { partition: split(stream, names) }, for: seconds(stream, 1, 20) }),
  (stream, { names }) => ({
    do: { partition: split(stream, names), oneway: true },
    for: seconds(stream, 1, 15),
  }),
  (stream, { correct }) => ({
    do: { crash: pick(stream, correct), power_loss: pick(stream, POWER_LOSSES) },
    for: seconds(stream, 1, 10),
  }),
  (stream, { correct }) => ({
    do: {
      crash: pick(stream, correct),
      power_loss: pick(stream, POWER_LOSSES),
      point: pick(stream, CRASH_POINTS),
      count: 1 + stream.choose(20),
    },
    for: seconds(stream, 1, 10),
  }),
  (stream) => ({ do: { crash: 'all', power_loss: pick(stream, POWER_LOSSES) }, for: seconds(stream, 1, 5) }),
  (stream, { correct }) => ({ do: { pause: pick(stream, correct) }, for: seconds(stream, 1, 15) }),
  (stream, { names }) => ({ do: { clog: pick(stream, names) }, for: seconds(stream, 1, 10) }),
  LOSSY_LINK,
  (stream, { correct }) => ({
    do: {
      clock: { target: pick(stream, correct), skew: `${pick(stream, ['+', '-'])}${1 + stream.choose(5)}s` },
    },
  }),
  (stream, { correct }) => ({
    do: {
      clock: { target: pick(stream, correct), drift: `${pick(stream, ['', '-'])}${stream.choose(2000)}ppm` },
    },
  }),
  (stream, { correct }) => ({
    do: { disk: { target: pick(stream, correct), fault: pick(stream, ['slow', 'full']) } },
    for: seconds(stream, 1, 10),
  }),
  (stream) => ({ do: { swizzle: 'all' }, for: seconds(stream, 2, 15) }),
  (stream, { correct }) => ({
    do: {
      upgrade: pick(stream, correct),
      to: '2.0.0',
      ...(stream.choose(2) === 1 ? { index: stream.choose(2) === 1 } : {}),
    },
    for: seconds(stream, 1, 5),
  }),
  (stream, { correct }) => ({ do: { rollback: pick(stream, correct) }, for: seconds(stream, 1, 5) }),
];

/** Two sides, neither empty when there are two nodes. */
function split(stream: ChoiceStream, names: readonly string[]): readonly (readonly string[])[] {
  const sides: [string[], string[]] = [[], []];
  for (const name of names) sides[stream.choose(2) as 0 | 1].push(name);
  return sides.filter((side) => side.length > 0);
}

function drawTimeline(drawn: Drawn, faults: readonly Fault[]): readonly object[] {
  const stream = drawn.choices.stream('timeline');
  const count = pick(stream, [0, 1, 1, 2, 3, 5]);
  // Which kinds this world knows at all: two or three, not a little of everything.
  const kinds = Array.from({ length: 3 }, () => pick(stream, faults));
  return Array.from({ length: count }, (_, i) => {
    const own = drawn.choices.stream(`timeline/${i}`);
    const at = `${own.choose(TROUBLE_SECONDS_MAX * 10) / 10}s`;
    return { at, ...pick(own, kinds)(own, drawn) };
  });
}
