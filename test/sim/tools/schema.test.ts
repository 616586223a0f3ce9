import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { MESSAGE_FIELDS } from '../../../sim/byzantine/messageFields.ts';
import { BEHAVIOURS } from '../../../sim/byzantine/registry.ts';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { drawSwarm } from '../../../sim/swarm/draw.ts';
import { scenarioNames, scenarioText } from '../../support/scenarios.ts';

const root = path.resolve(import.meta.dirname, '../../..');

interface Schema {
  readonly $ref?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly propertyNames?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

const schema: Schema = JSON.parse(readFileSync(path.join(root, 'schema/scenario.schema.json'), 'utf8'));
const READ = new Set(
  '$schema title description $ref type enum const oneOf anyOf pattern minLength minimum maximum minItems maxItems minProperties maxProperties required dependentRequired propertyNames properties additionalProperties items $defs'.split(
    ' ',
  ),
);

/** As much of JSON Schema as ours uses; a keyword it does not know is an error. */
const isWithin = (value: number, least = value, most = value): boolean => value >= least && value <= most;

function accepts(value: unknown, part: Schema): boolean {
  for (const key of Object.keys(part)) if (!READ.has(key)) throw new Error(`unknown keyword ${key}`);
  if (part.$ref !== undefined)
    return accepts(value, schema.$defs?.[part.$ref.replace('#/$defs/', '')] as Schema);
  if (part.const !== undefined && value !== part.const) return false;
  if (part.enum !== undefined && !part.enum.includes(value)) return false;
  if (part.oneOf !== undefined && part.oneOf.filter((one) => accepts(value, one)).length !== 1) return false;
  if (part.anyOf !== undefined && !part.anyOf.some((one) => accepts(value, one))) return false;
  if (part.type !== undefined && ![part.type].flat().some((type) => isType(value, type))) return false;
  if (typeof value === 'string')
    return isWithin(value.length, part.minLength) && new RegExp(part.pattern ?? '').test(value);
  if (typeof value === 'number') return isWithin(value, part.minimum, part.maximum);
  if (Array.isArray(value))
    return (
      isWithin(value.length, part.minItems, part.maxItems) &&
      value.every((one) => accepts(one, part.items ?? {}))
    );
  return typeof value !== 'object' || value === null || acceptsObject(value as Record<string, unknown>, part);
}

function acceptsObject(value: Record<string, unknown>, part: Schema): boolean {
  const { properties = {}, additionalProperties: other = true, required = [] } = part;
  const keys = Object.keys(value);
  if (keys.length < (part.minProperties ?? 0) || keys.length > (part.maxProperties ?? keys.length))
    return false;
  if (required.some((key) => !keys.includes(key))) return false;
  for (const [key, others] of Object.entries(part.dependentRequired ?? {}))
    if (keys.includes(key) && others.some((other) => !keys.includes(other))) return false;
  if (part.propertyNames !== undefined && !keys.every((key) => accepts(key, part.propertyNames as Schema)))
    return false;
  return keys.every((key) => {
    const known = properties[key];
    if (known !== undefined) return accepts(value[key], known);
    return typeof other === 'boolean' ? other : accepts(value[key], other);
  });
}

function isType(value: unknown, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

describe('the JSON Schema of scenario files', () => {
  test.each(scenarioNames)('accepts %s', (name) => {
    expect(accepts(parse(scenarioText(name)), schema)).toBe(true);
  });

  test('has every behaviour, argument and word of the catalogue, and every field of a message', () => {
    const { lie, args, mutation } = schema.$defs ?? {};
    expect(lie?.properties?.['behaviour']?.enum).toEqual(BEHAVIOURS.flatMap(({ id, alias }) => [id, alias]));
    for (const { args: keys, words = {} } of BEHAVIOURS)
      for (const key of keys) {
        const known = args?.properties?.[key];
        expect(known, key).toBeDefined();
        for (const word of words[key] ?? []) expect(known?.enum).toContain(word);
      }
    const fields = Object.values(MESSAGE_FIELDS).flat();
    expect(new Set(mutation?.properties?.['field']?.enum)).toEqual(new Set([...fields, 'any']));
  });

  test('accepts what the swarm draws', () => {
    for (let seed = 1; seed <= 50; seed++) expect(accepts(parse(drawSwarm(String(seed))), schema)).toBe(true);
  });

  test.each([
    'name: x\nuntil: {height: 1}\nvalidators: {power: {}, b: {}}\n',
    'name: x\nuntil: {height: 1}\nexpect: [{liveness: {heights: 1, within: }}]\n',
    'name: x\nuntil: {height: 1}\nmutate: [{who: v0, message: vote, field: any, op: set, value: 1.5}]\n',
    'name: x\nuntil: {height: 1}\nnetwork: {loss: 100%, dup: 005%, rate: 10B/s}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {count: 12}\ntimeline: [{at: 1s, do: {crash: random 10}, for: 1s}]\n',
    'name: x\nuntil: {height: 1}\nvalidators: {count: 4, power: 3}\n',
    'name: x\nuntil: {height: 1}\nclients: [{name: a, kind: bank, at: v0, rate: 10/s}]\n',
  ])('accepts what the parser accepts: %j', (text) => {
    expect(parseScenario(text)).toMatchObject({ ok: true });
    expect(accepts(parse(text), schema)).toBe(true);
  });

  test.each([
    'name: x\nuntil: {height: 1}\nvalidator: {count: 4}\n',
    'name: x\nuntil: {heigth: 1}\n',
    'name: x\n',
    'name: x\nuntil: {height: 1}\nengine: {pool_lifetime: 0s}\n',
    'name: x\nuntil: {height: 1}\nengine: {timeout_prevote_delta: 0ms}\n',
    'name: x\nuntil: {height: 1}\nnetwork: {delay: 1ms, lost: 5%}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {a: {powr: 3}}\n',
    'name: x\nuntil: {time: 5}\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {explode: v0}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{att: 1s, do: heal}]\n',
    'name: x\nuntil: {height: 1}\nbyzantine: [{who: v0, behavior: B02}]\n',
    'name: x\nuntil: {height: 1}\nbyzantine: [{who: v0, behaviour: rude}]\n',
    'name: x\nuntil: {height: 1}\nbyzantine: [{who: v0, behaviour: B17, args: {ms: 5ms}}]\n',
    'name: x\nuntil: {height: 1}\nbyzantine: [{who: v0, behaviour: B02, when: {height: soon}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {crash: v0, pause: v1}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {pause: v0, power_loss: none}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {crash: v0, point: lunch}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {link: {}}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {link: {lost: 5%}}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {clock: {target: v0}}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{when: {hight: 3}, do: heal}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{when: {event: fell(v0)}, do: heal}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{every: 0s, do: heal}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{liveness: {heights: 3, in: 5s}}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{evidence: {exactly: 1}}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{resources: {pool: 3}}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{off: [honesty]}]\n',
    'name: x\nuntil: {first: []}\n',
    'name: x\nuntil: {height: 1}\nengine: {time_max: 0s}\n',
    'name: x\nuntil: {height: 1}\nnetwork: {delay: 5}\n',
    'name: x\nuntil: {height: 1000001000000}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {count: 4, a: {}}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {power: 3}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {count: {}}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {1a: {}}\n',
    'name: x\nuntil: {height: 1}\nnodes: {1a: {}}\n',
    'name: x\nuntil: {height: 1}\nupdates: [{height: 1}]\n',
    'name: x\nuntil: {height: 1}\nupdates: [{height: 1, validators: {1a: 1}}]\n',
    'name: x\nuntil: {height: 1}\npeers: {}\n',
    'name: x\nuntil: {height: 1}\npeers: {seeds: v0, liars: {1a: more}}\n',
    'name: x\nuntil: {height: 1}\nnetwork: {loss: 101%}\n',
    'name: x\nuntil: {height: 1}\nnetwork: {rate: 0B/s}\n',
    'name: x\nuntil: {height: 1}\nclients: [{name: a, kind: bank, at: v0, rate: 0/s}]\n',
    'name: x\nuntil: {height: 1}\nclients: [{name: a, kind: bank, at: v0, args: {count: 1000001}}]\n',
    'name: x\nuntil: {height: 1}\nclients: [{name: a, kind: ws, at: v0, args: {reads: 1000001}}]\n',
    'name: x\nuntil: {height: 1}\nclients: [{name: a, kind: ws, at: v0, args: {room: 16777217}}]\n',
    'name: x\nuntil: {height: 1}\nclients: [{name: a, kind: ws, at: v0, args: {query: ""}}]\n',
    'name: x\nuntil: {height: 1}\nsearch: {pct: {depth: 1, runs: 100000001}}\n',
    'name: x\nuntil: {height: 1}\nsearch: {swarm: {runs: 100000001}}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {a: {}, b: {twin_of: a}}\nsearch: {twins: {partitions: sample 0}}\n',
    'name: x\nuntil: {height: 1}\nvalidators: {a: {}, b: {twin_of: a}}\nsearch: {twins: {pairs: [[a, b, a]]}}\n',
    'name: x\nuntil: {height: 1}\nbyzantine: [{who: random 0, behaviour: B02}]\n',
    'name: x\nuntil: {height: 1}\nvalidators: {a: {key: ""}}\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {upgrade: v0}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {upgrade: v0, to: ""}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {crash: v0, count: 2}}]\n',
    'name: x\nuntil: {height: 1}\ntimeline: [{at: 1s, do: {link: {from: v0}}}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{never: ""}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{never: "height > 3", within: 3s}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{ws: {at_least: 1}}]\n',
    'name: x\nuntil: {height: 1}\nexpect: [{resources: {node: v0}}]\n',
  ])('refuses what the parser refuses: %j', (text) => {
    expect(parseScenario(text).ok).toBe(false);
    expect(accepts(parse(text), schema)).toBe(false);
  });
});
