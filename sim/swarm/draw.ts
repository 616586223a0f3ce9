import { stringify } from 'yaml';
import { PEX_LIES } from '../scenario/scenario.ts';
import { Choices } from '../world/choices.ts';
import { drawByzantine, drawMutations } from './drawByzantine.ts';
import {
  type DrawnClient,
  drawBulk,
  drawClients,
  drawCompany,
  drawObservers,
  drawStray,
  isFeatured,
  isPriced,
} from './drawClients.ts';
import { drawContest } from './drawContest.ts';
import { drawDamage } from './drawDamage.ts';
import { drawExtremes } from './drawExtremes.ts';
import { drawMoments } from './drawMoments.ts';
import type { Dice, Drawn } from './drawn.ts';
import { drawStrikes } from './drawStrikes.ts';
import { drawJoins, drawLeave, drawTimeline } from './drawTimeline.ts';
import { drawReserve, drawUpdates, stagesOf } from './drawUpdates.ts';
import { drawCartel, drawLiars, drawMachines, drawPowers, drawTwins } from './drawValidators.ts';
import { drawTemper, pick } from './pick.ts';
import { isEnough, isTolerable, type Powers } from './powers.ts';
import { drawScale } from './scale.ts';

/** By block times, in hundredths of what there is for a slow one: a fast chain need not be long. */
const TROUBLE_PERCENT: Readonly<Record<string, number>> = { '300ms': 60, '100ms': 30 };
const TIME_MAX = '14400s';

/**
 * A whole world drawn from one seed, as the text of a scenario: how many validators of what power, how bad the network
 * is, who lies and how, what breaks when. Many features are off in any one world; that is why rare mixtures get deep.
 * Each part has a choice stream of its own, so a new kind of fault leaves the rest of a seed's world as it was.
 */
export function drawSwarm(seed: string): string {
  const choices = new Choices({ seed: `swarm/${seed}` });
  const rarely = drawTemper(choices);
  const scale = drawScale(choices);
  const dice: Dice = { choices, rarely, scale, isExtreme: choices.choose('extremes', 5) > 2 };
  const powers = { ...drawPowers(dice), ...drawReserve(dice) };
  const liars = drawCartel(dice, powers, drawLiars(choices, powers));
  const honest = Object.keys(powers).filter((name) => !liars.includes(name));
  const nodes = drawNodes(dice, honest);
  const twins = drawTwins(dice, liars);
  const names = [...Object.keys(powers), ...Object.keys(twins), ...Object.keys(nodes)];
  const start = drawGenesis(dice);
  const before = (start.initial_height ?? 1) - 1;
  const updates = drawUpdates(dice, powers, liars, before);
  const correct = names.filter((name) => !liars.includes(name) && twins[name] === undefined);
  const stages = stagesOf(powers, updates);
  const times = drawTimes(dice, stages.some(hasEnoughAlone));
  const troubleSeconds = Math.ceil((scale.troubleSeconds * (TROUBLE_PERCENT[times.block_time] ?? 100)) / 100);
  const drawn: Drawn = { ...dice, names, liars, correct, troubleSeconds, before };
  // Who fetches blocks or bans peers believes in streams: there a frame that is lost, repeated or early is a peer's fault.
  const isSynced = rarely(choices.stream('blockSync'), 5);
  const peers = names.length > Object.keys(powers).length ? {} : drawPeers(dice, honest, liars);
  const isStream = isSynced || 'peers' in peers;
  const contest = drawContest(dice, powers, isStream);
  const { rate, ...usual } = drawNetwork(choices, isStream);
  // On a slow line messages take longer than a contest counts on, and its rounds are a hundred.
  const network =
    contest === undefined
      ? { ...usual, ...(rate === undefined ? {} : { rate }) }
      : { ...usual, ...contest.network };
  const isWide = !(
    'rate' in network ||
    'block_bytes' in start ||
    updates.some((one) => 'block_bytes' in one)
  );
  const clients = [
    ...drawClients(drawn),
    ...(scale.isUsed ? [...drawCompany(drawn), ...drawBulk(drawn, isWide), ...drawStray(drawn)] : []),
  ];
  const genesis = { ...start, ...drawFees(dice, clients) };
  const only = [...Object.values(nodes), peers.peers ?? {}].flatMap((one) => Object.values(one).flat());
  const timeline = [
    ...drawMoments(drawn, [...drawTimeline(drawn, isStream), ...drawStrikes(drawn, isStream)]),
    ...drawJoins(drawn, Object.keys(nodes)),
    ...drawLeave(drawn, Object.keys(nodes)),
    ...drawDamage(drawn, stages, only),
  ];
  const users = [...clients, ...drawObservers(drawn)];
  const byzantine = drawByzantine(drawn);
  const mutations = drawMutations(drawn);
  const [least, most] = scale.heights;
  const more = choices.choose('height', most - least + 1) + (contest === undefined ? 0 : 4);
  const height = before + least + more;
  const world = {
    name: `swarm-${seed.replaceAll('.', '_').slice(0, 26)}`,
    seed,
    engine: {
      crypto: 'keyed-hash',
      time_max: TIME_MAX,
      ...times,
      ...contest?.times,
      ...(isSynced ? { block_sync: true } : {}),
      ...(rarely(choices.stream('index'), 6) ? { index: false } : {}),
      ...drawPool(dice, clients),
      ...(isSynced && stages.some(hasEnoughAlone) ? {} : drawSizes(dice)),
    },
    ...(Object.keys(genesis).length === 0 ? {} : { genesis }),
    validators: {
      ...drawMachines(dice, powers),
      ...twins,
    },
    ...(updates.length === 0 ? {} : { updates }),
    ...(Object.keys(nodes).length === 0 ? {} : { nodes }),
    ...peers,
    network,
    ...(users.length === 0 ? {} : { clients: users }),
    ...(timeline.length === 0 ? {} : { timeline }),
    ...(byzantine.length === 0 ? {} : { byzantine }),
    ...(mutations.length === 0 ? {} : { mutate: mutations }),
    ...drawExpect(dice, clients),
    // Who is a third or more may hold up the rest for ever.
    until: isTolerable(powers, liars) ? { height } : { first: [{ height }, { time: '60s' }] },
  };
  return stringify(drawExtremes(dice, world, clients, isStream, stages.some(hasEnoughAlone)), {
    flowCollectionPadding: false,
    collectionStyle: 'any',
    lineWidth: 110,
    aliasDuplicateObjects: false,
  });
}

/**
 * How long nodes wait for each other, as an operator may set it.
 * @param isAlone One validator needs no other: without a pause it would make blocks faster than anybody fetches them.
 */
function drawTimes({ choices, rarely }: Dice, isAlone: boolean): { readonly block_time: string } {
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
    ...(rarely(stream, 6) && !isAlone ? { skip_timeout_commit: true } : {}),
    ...(rarely(stream, 8) ? { empty_blocks_interval: millis([200, 1000, 3000]) } : {}),
    ...(rarely(stream, 4) ? Object.fromEntries(timeouts) : {}),
  };
}

const hasEnoughAlone = (powers: Powers): boolean =>
  Object.keys(powers).some((name) => isEnough(powers, [name]));

/** Answers take longer to ask for than many a world takes to run: all is asked where there is something to tell, and even there not always. */
const drawExpect = ({ choices, scale }: Dice, clients: readonly DrawnClient[]): object =>
  choices.choose('answers', clients.length === 0 ? 8 : scale.askedOneIn) === 0
    ? {}
    : { expect: [{ off: 'answers' }] };

/** Now and then blocks have little room, and pools; who sends features counts on everything being taken. */
function drawPool({ choices, rarely }: Dice, clients: readonly DrawnClient[]): object {
  const stream = choices.stream('pool');
  if (clients.length === 0 || clients.some(isFeatured)) return {};
  return {
    ...(rarely(stream, 6) ? { block_gas: pick(stream, [600_000, 3_000_000, 105_000]) } : {}),
    ...(rarely(stream, 6) ? { pool_txs: pick(stream, [100, 12]) } : {}),
    ...(rarely(stream, 8) ? { pool_lifetime: '1s' } : {}),
    ...(rarely(stream, 8) ? { pool_max_wait: `${pick(stream, [10, 2])}s` } : {}),
  };
}

/**
 * Now and then nodes have no room, and short runs come to what lies beyond it; but who fetches a few blocks at a time never catches up
 * with one who makes them alone.
 */
function drawSizes({ choices, rarely }: Dice): object {
  const stream = choices.stream('sizes');
  return rarely(stream, 4) ? { sizes_max: pick(stream, [2, 1, 4]) } : {};
}

/** Now and then validators have to find each other, and somebody lies about addresses, too. */
function drawPeers(
  { choices, rarely }: Dice,
  honest: readonly string[],
  liars: readonly string[],
): { readonly peers?: object } {
  const stream = choices.stream('peers');
  if (!rarely(stream, 12)) return {};
  const role = pick(stream, ['seeds', 'persistent']);
  const lies = liars.flatMap((who) => {
    const own = choices.stream(`peers/${who}`);
    return own.choose(2) === 0 ? [] : [[who, pick(own, PEX_LIES)]];
  });
  return {
    peers: {
      [role]: [pick(stream, honest)],
      ...(lies.length === 0 ? {} : { liars: Object.fromEntries(lies) }),
    },
  };
}

/** Now and then a node without a vote, which knows everyone or one honest validator. */
function drawNodes(
  { choices, rarely }: Dice,
  honest: readonly string[],
): Readonly<Record<string, { readonly peers?: readonly string[] }>> {
  const stream = choices.stream('nodes');
  if (!rarely(stream, 5)) return {};
  const peers = stream.choose(2) === 0 ? undefined : [pick(stream, honest)];
  const full0 = peers === undefined ? {} : { peers };
  if (!rarely(choices.stream('nodes/more'), 3)) return { full0 };
  // One that hears of the chain through the other alone.
  return { full0: peers === undefined ? {} : { peers: [...peers, 'full1'] }, full1: { peers: ['full0'] } };
}

interface DrawnGenesis {
  readonly initial_height?: number;
  readonly [key: string]: number | string | undefined;
}

/** Now and then a chain that does not begin at height 1, has small blocks or soon forgets offences. */
function drawGenesis({ choices, rarely, isExtreme }: Dice): DrawnGenesis {
  const far = choices.stream('extremes/genesis');
  if (isExtreme && far.choose(6) === 0) return { initial_height: pick(far, [1_000_000_000, 2]) };
  const stream = choices.stream('genesis');
  if (!rarely(stream, 4)) return {};
  return {
    initial_height: pick(stream, [1, 2, 100]),
    block_bytes: pick(stream, [8_000, 100_000]),
    evidence_bytes: pick(stream, [1_000, 4_000]),
    evidence_blocks: pick(stream, [2, 5, 100]),
    evidence_time: `${pick(stream, [1, 5, 100])}s`,
  };
}

/** Fee markets other than the usual one. */
const FEES: readonly object[] = [
  { collect_base_fee: true },
  { min_gas_price: '2gwei' },
  { elasticity: 3, base_fee_denominator: 3, base_fee: '3gwei' },
  { no_base_fee: true },
];

/** Now and then who uses the chain pays otherwise. */
function drawFees({ choices, rarely }: Dice, clients: readonly DrawnClient[]): object {
  const stream = choices.stream('fees');
  const isUsual = clients.length === 0 || clients.some(isPriced);
  return isUsual || !rarely(stream, 4) ? {} : pick(stream, FEES);
}

function drawNetwork(choices: Choices, isStream: boolean): Readonly<Record<string, string | object>> {
  const stream = choices.stream('network');
  const low = pick(stream, [10, 1, 5, 50]);
  const high = low + pick(stream, [90, 10, 200, 500, 1500]);
  const isOften = choices.choose('network/shape', 8) < 7;
  const delay = isOften ? `${low}ms-${high}ms` : { low: `${low}ms`, high: `${high}ms`, shape: 'exponential' };
  const faults: Record<string, string | object> = { delay };
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
