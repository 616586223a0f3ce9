import type { Cursor } from './cursor.ts';
import { nodeNames } from './names.ts';
import { type NodeSpec, PEX_LIES, type PeersSpec, type PexLie } from './scenario.ts';

const LIMIT_MAX = 1000;
/** CometBFT's defaults. */
const INBOUND = 40;
const OUTBOUND = 10;

/** `peers: {seeds: [v0], outbound_max: 2}`: nodes find each other, as real ones do. */
export function peersOf(at: Cursor, known: readonly string[], nodes: readonly NodeSpec[]): PeersSpec {
  const fields = at.fields(
    ['seeds', 'persistent', 'unconditional', 'private', 'inbound_max', 'outbound_max', 'seed_mode', 'liars'],
    'peers: {seeds?, persistent?, unconditional?, private?, inbound_max?, outbound_max?, seed_mode?, liars?}',
  );
  if (fields.seeds === undefined && fields.persistent === undefined)
    at.fail('expected seeds or persistent: a node has to know somebody');
  const bound = nodes.find((node) => node.peers !== undefined);
  if (bound !== undefined) at.fail(`expected no peers of ${bound.name} alone: nodes choose theirs`);
  const liars = fields.liars?.entries(`liars: {NAME: ${PEX_LIES.join(' | ')}}`) ?? [];
  return {
    seeds: fields.seeds === undefined ? [] : nodeNames(fields.seeds, known),
    persistent: fields.persistent === undefined ? [] : nodeNames(fields.persistent, known),
    unconditional: fields.unconditional === undefined ? [] : nodeNames(fields.unconditional, known),
    privateNodes: fields.private === undefined ? [] : nodeNames(fields.private, known),
    inboundMax: fields.inbound_max?.integer('a number of peers', 0, LIMIT_MAX) ?? INBOUND,
    outboundMax: fields.outbound_max?.integer('a number of peers', 0, LIMIT_MAX) ?? OUTBOUND,
    seedMode: fields.seed_mode?.boolean('seed_mode') ?? false,
    liars: new Map(
      liars.map(([name, lie]): [string, PexLie] => [named(name, lie, known), lie.oneOf(PEX_LIES, 'a lie')]),
    ),
  };
}

const named = (name: string, at: Cursor, known: readonly string[]): string =>
  known.includes(name) ? name : at.fail(`unknown node "${name}", expected one of ${known.join(', ')}`);
