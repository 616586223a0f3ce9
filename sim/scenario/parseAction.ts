import { DEVICE_FAULTS, DISK_FAULTS, type DiskFaultKind, LOG_FAULTS, SIGNER_FAULTS } from '../disk/disk.ts';
import { POWER_LOSSES } from '../disk/powerLoss.ts';
import { DRIFT_PPM_MAX, JITTER_MICROS_MAX } from '../machine/clock.ts';
import { CRASH_POINTS } from '../machine/life.ts';
import type { LinkFaults } from '../network/link.ts';
import type { Cursor } from './cursor.ts';
import { newName, nodeName, nodeNames, target } from './names.ts';
import type { Action, LogDamage } from './scenario.ts';
import { byteRate, delay, driftPpm, duration, probability, signedDuration } from './units.ts';

const ACTION_KEYS = [
  'partition',
  'heal',
  'link',
  'clog',
  'swizzle',
  'crash',
  'restart',
  'pause',
  'resume',
  'wipe',
  'disk',
  'clock',
  'add_node',
  'remove_node',
  'upgrade',
  'rollback',
  'flush_pool',
  'checkpoint',
  'break',
  'gst',
] as const;
const OPTION_KEYS = ['to', 'oneway', 'power_loss', 'point', 'count', 'hard', 'index'] as const;

/** The options of each action. */
const OPTIONS_OF: Partial<Record<(typeof ACTION_KEYS)[number], readonly (typeof OPTION_KEYS)[number][]>> = {
  partition: ['oneway'],
  crash: ['power_loss', 'point', 'count'],
  upgrade: ['to', 'index'],
  rollback: ['hard'],
};

const KEEP_MAX = 1_000_000_000;
const EXPECTED = `an action: ${ACTION_KEYS.join(', ')}`;

export function parseAction(at: Cursor, known: readonly string[]): Action {
  if (at.isText) {
    const word = at.oneOf(['heal', 'gst'] as const, 'an action without arguments');
    return { kind: word };
  }
  const fields = at.fields([...ACTION_KEYS, ...OPTION_KEYS], EXPECTED);
  const kinds = ACTION_KEYS.filter((key) => fields[key] !== undefined);
  const kind = kinds[0];
  if (kind === undefined || kinds.length > 1)
    return at.fail(`expected exactly one action of ${ACTION_KEYS.join(', ')}`);
  const allowed = OPTIONS_OF[kind] ?? [];
  for (const key of OPTION_KEYS) {
    if (fields[key] !== undefined && !allowed.includes(key))
      fields[key]?.fail(`expected no such key with ${kind}`);
  }
  return actionOf(kind, fields, fields[kind] as Cursor, known);
}

function actionOf(
  kind: (typeof ACTION_KEYS)[number],
  fields: Partial<Record<(typeof OPTION_KEYS)[number], Cursor>>,
  value: Cursor,
  known: readonly string[],
): Action {
  switch (kind) {
    case 'heal':
    case 'gst':
      return { kind };
    case 'partition':
      return { kind, groups: groupsOf(value, known), oneWay: fields.oneway?.boolean('oneway') ?? false };
    case 'link':
      return linkOf(value, known);
    case 'clog':
    case 'swizzle':
    case 'restart':
    case 'pause':
    case 'resume':
    case 'wipe':
      return { kind, target: target(value, known) };
    case 'crash':
      if (fields.point === undefined) fields.count?.fail('expected a key point next to count');
      return {
        kind,
        target: target(value, known),
        powerLoss: fields.power_loss?.oneOf(POWER_LOSSES, 'power_loss') ?? 'none',
        point: fields.point?.oneOf(CRASH_POINTS, 'a crash point'),
        count: fields.count?.integer('a count', 1, 1_000_000) ?? 1,
      };
    case 'add_node':
      return { kind: 'addNode', name: declared(value, known) };
    case 'remove_node':
      return { kind: 'removeNode', name: nodeName(value, known, 'node') };
    case 'upgrade':
      if (fields.to === undefined) return value.fail('expected a key to: the version to upgrade to');
      return {
        kind,
        target: target(value, known),
        version: fields.to.text('a version, such as 1.2.0 in quotes'),
        ...(fields.index === undefined ? {} : { isIndexed: fields.index.boolean('index') }),
      };
    case 'rollback':
      return { kind, target: target(value, known), isHard: fields.hard?.boolean('hard') ?? false };
    case 'flush_pool':
      return { kind: 'flushPool', target: target(value, known) };
    case 'checkpoint':
    case 'break':
      return { kind, name: newName(value, value.text('a name')) };
    case 'disk':
      return diskOf(value, known);
    case 'clock':
      return clockOf(value, known);
  }
}

function declared(at: Cursor, known: readonly string[]): string {
  const name = at.text('the name of a node');
  return known.includes(name)
    ? name
    : at.fail(`unknown node "${name}", expected one that the section nodes declares`);
}

function groupsOf(at: Cursor, known: readonly string[]): readonly (readonly string[])[] {
  const groups = at.items('a list of groups, such as [[v0, v1], [v2, v3]]').map((group) => {
    const isRegion = /^group /.test(String(group.raw()));
    if (!group.isList && !isRegion) group.fail('expected a group: a list of validators, or group NAME');
    return nodeNames(group, known);
  });
  if (groups.length === 0) at.fail('expected at least one group');
  const seen = new Set<string>();
  for (const name of groups.flat()) {
    if (seen.has(name)) at.fail(`expected each validator in one group only, "${name}" is in two`);
    seen.add(name);
  }
  return groups;
}

export const FAULT_KEYS = ['delay', 'loss', 'dup', 'reorder', 'corrupt', 'reset', 'rate'] as const;

/** Link faults, in a `network:` section or in a `link` action. */
export function faultsOf(fields: Partial<Record<(typeof FAULT_KEYS)[number], Cursor>>): Partial<LinkFaults> {
  const { loss, dup, reorder, corrupt, reset, rate } = fields;
  return {
    ...(fields.delay === undefined ? {} : { delay: delay(fields.delay) }),
    ...(loss === undefined ? {} : { lossPpm: probability(loss) }),
    ...(dup === undefined ? {} : { dupPpm: probability(dup) }),
    ...(reorder === undefined ? {} : { reorderPpm: probability(reorder) }),
    ...(corrupt === undefined ? {} : { corruptPpm: probability(corrupt) }),
    ...(reset === undefined ? {} : { resetPpm: probability(reset) }),
    ...(rate === undefined ? {} : { rate: byteRate(rate) }),
  };
}

function linkOf(at: Cursor, known: readonly string[]): Action {
  const fields = at.fields(['from', 'to', ...FAULT_KEYS], 'a link: {from?, to?, delay?, loss?, …}');
  const faults = faultsOf(fields);
  if (Object.keys(faults).length === 0)
    at.fail(`expected one of ${FAULT_KEYS.join(', ')}: else nothing changes on the links`);
  return { kind: 'link', from: endsOf(fields.from, known), to: endsOf(fields.to, known), faults };
}

/** undefined: all nodes. */
const endsOf = (at: Cursor | undefined, known: readonly string[]): readonly string[] | undefined =>
  at === undefined || at.raw() === 'all' ? undefined : nodeNames(at, known);

function diskOf(at: Cursor, known: readonly string[]): Action {
  const fields = at.fields(
    ['target', 'fault', 'file', 'at', 'keep'],
    'a disk fault: {target, fault, file?, at?, keep?}',
  );
  if (fields.target === undefined) return at.fail('expected a key target');
  if (fields.fault === undefined) return at.fail('expected a key fault');
  const fault = fields.fault.oneOf(DISK_FAULTS, 'a disk fault');
  const file = fileOf(fault);
  if (file === undefined) fields.file?.fail(`expected no file with ${fault}: the whole drive has it`);
  else fields.file?.oneOf([file], `the file of ${fault}`);
  return { kind: 'disk', target: target(fields.target, known), fault, ...damageOf(fields, fault) };
}

/** The file that a fault damages; undefined for the whole drive. */
function fileOf(fault: DiskFaultKind): 'wal' | 'db' | 'signer' | undefined {
  if (LOG_FAULTS.some((one) => one === fault)) return 'wal';
  if (SIGNER_FAULTS.some((one) => one === fault)) return 'signer';
  return DEVICE_FAULTS.some((one) => one === fault) ? undefined : 'db';
}

/** `at: last_record`, `keep: 12`: where a log is damaged, and how many bytes of the record a tear leaves. */
function damageOf({ at, keep }: Partial<Record<'at' | 'keep', Cursor>>, fault: string): LogDamage {
  if (fault !== 'torn' && fault !== 'flip') at?.fail(`expected no place with ${fault}`);
  if (fault !== 'torn') keep?.fail(`expected no keep with ${fault}: nothing is cut in the middle`);
  const isRandom = keep === undefined || keep.raw() === 'random';
  return {
    ...(at === undefined
      ? {}
      : { at: at.oneOf(['first_record', 'last_record', 'any_record'] as const, 'a place in the log') }),
    ...(isRandom ? {} : { keep: keep.integer('random, or a number of bytes', 0, KEEP_MAX) }),
  };
}

function jitterOf(at: Cursor): number {
  const micros = duration(at);
  return micros <= JITTER_MICROS_MAX ? micros : at.fail('expected a jitter of at most 1s');
}

function jumpOf(at: Cursor): number {
  const micros = signedDuration(at);
  return micros === 0 ? at.fail('expected a jump that is not zero: it moves nothing') : micros;
}

function clockOf(at: Cursor, known: readonly string[]): Action {
  const fields = at.fields(
    ['target', 'skew', 'drift', 'jump', 'jitter'],
    'a clock fault: {target, skew | drift | jump | jitter}',
  );
  if (fields.target === undefined) return at.fail('expected a key target');
  const who = target(fields.target, known);
  const { skew, drift, jump, jitter } = fields;
  const given = [skew, drift, jump, jitter].filter((one) => one !== undefined);
  if (given.length !== 1) return at.fail('expected exactly one of skew, drift, jump, jitter');
  if (skew !== undefined) return { kind: 'skew', target: who, micros: signedDuration(skew) };
  if (jump !== undefined) return { kind: 'jump', target: who, micros: jumpOf(jump) };
  if (jitter !== undefined) return { kind: 'jitter', target: who, micros: jitterOf(jitter) };
  return { kind: 'drift', target: who, ppm: driftPpm(drift as Cursor, DRIFT_PPM_MAX) };
}
