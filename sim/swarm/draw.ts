import { stringify } from 'yaml';
import { Choices } from '../world/choices.ts';
import { type DrawnLie, drawByzantine, drawMutations } from './drawByzantine.ts';
import {
  type DrawnClient,
  drawBulk,
  drawClients,
  drawCompany,
  drawObservers,
  drawStray,
} from './drawClients.ts';
import { drawContest } from './drawContest.ts';
import { drawDamage } from './drawDamage.ts';
import { drawPool, drawSizes, drawTimes } from './drawEngine.ts';
import { drawExtremes } from './drawExtremes.ts';
import { drawFees, drawGenesis } from './drawGenesis.ts';
import { drawMoments } from './drawMoments.ts';
import { drawNetwork, drawNodes, drawPeers } from './drawNetwork.ts';
import type { Dice, Drawn } from './drawn.ts';
import { drawStrikes } from './drawStrikes.ts';
import { drawFlushes, drawJoins, drawLeave, drawTimeline } from './drawTimeline.ts';
import { drawReserve, drawUpdates, stagesOf } from './drawUpdates.ts';
import { drawCartel, drawLiars, drawMachines, drawPowers, drawTwins } from './drawValidators.ts';
import { drawTemper } from './pick.ts';
import { isEnough, isTolerable, type Powers } from './powers.ts';
import { drawScale } from './scale.ts';

/** Percentage of the usual trouble time, by block time: a fast chain needs less. */
const TROUBLE_PERCENT: Readonly<Record<string, number>> = { '300ms': 60, '100ms': 30 };
const TIME_MAX = '14400s';

/**
 * A whole world drawn from one seed, as the text of a scenario: how many validators of what power, how bad the network
 * is, who lies and how, what breaks when. Many features are off in any one world, so rare combinations get deep. Each
 * part has a choice stream of its own, so a new kind of fault leaves the rest of a seed's world as it was.
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
  // A node that uses block sync or bans peers relies on streams: it blames the peer for a frame lost, repeated or
  // early.
  const isSynced = rarely(choices.stream('blockSync'), 5);
  const peers = names.length > Object.keys(powers).length ? {} : drawPeers(dice, honest, liars);
  const isStream = isSynced || 'peers' in peers;
  const contest = drawContest(dice, powers, isStream);
  const [least, most] = scale.heights;
  const heights = least + choices.choose('height', most - least + 1) + (contest === undefined ? 0 : 4);
  const drawn: Drawn = {
    ...dice,
    names,
    liars,
    correct,
    troubleSeconds,
    before,
    heights,
    isSynced,
    isContested: contest !== undefined,
    stages,
  };
  const { rate, ...usual } = drawNetwork(choices, isStream);
  // On a slow line messages take longer than a contest expects, and it would take a hundred rounds.
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
    ...drawFlushes(drawn, clients),
  ];
  const byzantine = drawByzantine(drawn);
  const users = [...clients, ...drawObservers(drawn, byzantine.find(isOfShownBlocks)?.who)];
  const mutations = drawMutations(drawn);
  const height = before + heights;
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
    ...filled('genesis', genesis),
    validators: { ...drawMachines(dice, powers), ...twins },
    ...filled('updates', updates),
    ...filled('nodes', nodes),
    ...peers,
    network,
    ...filled('clients', users),
    ...filled('timeline', timeline),
    ...filled('byzantine', byzantine),
    ...filled('mutate', mutations),
    ...drawExpect(dice, clients),
    // Liars with a third or more may hold up the rest for ever.
    until: isTolerable(powers, liars) ? { height } : { first: [{ height }, { time: '60s' }] },
  };
  return stringify(drawExtremes(dice, world, clients, isStream, stages.some(hasEnoughAlone)), {
    flowCollectionPadding: false,
    collectionStyle: 'any',
    lineWidth: 110,
    aliasDuplicateObjects: false,
  });
}

/** A section with nothing in it is left out. */
const filled = (key: string, section: object): object =>
  Object.keys(section).length === 0 ? {} : { [key]: section };

/** Whether light clients see the lie, and only those that ask the liar. */
const isOfShownBlocks = ({ args }: DrawnLie): boolean => String(args?.what).startsWith('shown');

const hasEnoughAlone = (powers: Powers): boolean =>
  Object.keys(powers).some((name) => isEnough(powers, [name]));

/**
 * Checking all answers takes longer than running many a world. So only some worlds do it, more often those with
 * clients.
 */
const drawExpect = ({ choices, scale }: Dice, clients: readonly DrawnClient[]): object =>
  choices.choose('answers', clients.length === 0 ? 8 : scale.askedOneIn) === 0
    ? {}
    : { expect: [{ off: 'answers' }] };
