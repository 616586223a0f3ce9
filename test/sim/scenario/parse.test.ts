import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../../sim/scenario/parse.ts';
import { withCrypto } from '../../../sim/scenario/withCrypto.ts';
import { docText, readDoc } from '../../../sim/shrink/document.ts';

const errorOf = (text: string): string => {
  const parsed = parseScenario(text);
  if (parsed.ok) return 'accepted';
  const { line, column, message } = parsed.error;
  return `${line}:${column} ${message}`;
};

const base = 'name: x\nuntil: {height: 3}\n';

describe('a scenario file', () => {
  test('has defaults: four validators of power 10 and links of 10 to 100 ms', () => {
    const parsed = parseScenario(base);
    expect(parsed.ok && parsed.value).toMatchObject({
      name: 'x',
      validators: [{ name: 'v0', power: 10 }, { name: 'v1' }, { name: 'v2' }, { name: 'v3' }],
      network: { delay: { low: 10_000, high: 100_000 }, lossPpm: 0 },
      until: { kind: 'height', height: 3 },
      engine: { crypto: 'ed25519' },
    });
  });

  test.each(['12e4567', '0123', '12.50', '1e5', '9007199254740993', '0x1F', '3', 'a-b_c.d'])(
    'has the seed %s as it is spelled, also where it is written down again',
    (seed) => {
      const text = `${base}seed: ${seed}\n`;
      for (const one of [text, docText(readDoc(text)), withCrypto(text, 'keyed-hash')]) {
        const parsed = parseScenario(one);
        expect(parsed.ok && parsed.value.seed).toBe(seed);
      }
    },
  );

  test('takes heights of a chain that begins as late as one may', () => {
    const parsed = parseScenario(`name: x
genesis: {initial_height: 1000000000000}
until: {height: 1000000000005}
timeline: [{when: {height: 1000000000001}, do: {crash: v0}, for: 1s}]
updates: [{height: 1000000000002, block_bytes: 9000}]
byzantine:
  - {who: v3, behaviour: silent, when: {height: 1000000000001..1000000000003}}
  - {who: v3, behaviour: nil-votes}
`);
    expect(parsed.ok && parsed.value.byzantine.map(({ trigger }) => trigger.heights)).toEqual([
      { from: 1_000_000_000_001, to: 1_000_000_000_003 },
      { from: 0, to: 2_000_000_000_000 },
    ]);
  });

  test('reads timelines with their conditions, delays and durations', () => {
    const parsed = parseScenario(`${base}timeline:
  - {at: 5s, do: {partition: [[v0], [v1, v2]], oneway: true}, for: 1.5s}
  - {when: {height: 4, round: 0, step: precommit}, on: v1, do: {crash: v1, power_loss: hostile}}
  - {after: {event: crashed(v1)}, at: 3s, do: {restart: v1}}
  - {every: 10s, chance: 50%, do: {pause: random 1}, for: 2s}
`);
    expect(parsed.ok && parsed.value.timeline).toMatchObject([
      {
        when: { kind: 'at', at: 5_000_000 },
        duration: 1_500_000,
        action: { kind: 'partition', oneWay: true },
      },
      {
        when: { kind: 'state', height: 4, round: 0, step: 'precommit' },
        on: 'v1',
        action: { powerLoss: 'hostile' },
      },
      {
        when: { kind: 'event', event: 'crashed', node: 'v1' },
        delay: 3_000_000,
        action: { kind: 'restart' },
      },
      {
        when: { kind: 'every' },
        chancePpm: 500_000,
        action: { kind: 'pause', target: { kind: 'random', count: 1 } },
      },
    ]);
  });

  test('takes a behaviour by id or alias and spans of heights', () => {
    const parsed = parseScenario(`${base}byzantine:
  - {who: v3, behaviour: B02, when: {height: 3..5, chance: 0.5}, to: [v0]}
  - {who: [v2, v3], behaviour: silent, args: {what: voter}}
`);
    expect(parsed.ok && parsed.value.byzantine).toMatchObject([
      {
        who: 'v3',
        behaviour: 'B02',
        to: { kind: 'names', names: ['v0'] },
        trigger: { heights: { from: 3, to: 5 }, chancePpm: 500_000 },
      },
      { who: 'v2', behaviour: 'B15' },
      { who: 'v3', behaviour: 'B15' },
    ]);
  });

  test('gives each entry what its section has in common, and regions are groups', () => {
    const parsed = parseScenario(`${base}defaults:
  validators: {region: east, power: 20}
  timeline: {for: 2s, do: {pause: group west}}
  clients: {at: a}
validators: {a: {}, b: {region: west}, c: {power: 5}}
timeline:
  - {at: 5s}
  - {at: 9s, do: {partition: [group east, [group west]]}}
clients: [{name: x, kind: bank}]
`);
    expect(parsed.ok && parsed.value).toMatchObject({
      validators: [{ power: 20, region: 'east' }, { power: 20, region: 'west' }, { power: 5 }],
      timeline: [
        { duration: 2_000_000, action: { kind: 'pause', target: { kind: 'names', names: ['b'] } } },
        { duration: 2_000_000, action: { kind: 'partition', groups: [['a', 'c'], ['b']] } },
      ],
      bankers: [{ name: 'x', at: 'a' }],
    });
  });

  test('takes the words true and false as YAML has them', () => {
    const lie = '{who: v0, behaviour: light-attack, args: {what: true}}';
    const parsed = parseScenario(`${base}byzantine: [${lie}]\n`);
    expect(parsed.ok && parsed.value.byzantine[0]?.args).toEqual(new Map([['what', 'true']]));
  });

  test('takes what a condition says itself before what its section has in common', () => {
    const parsed = parseScenario(`${base}defaults: {timeline: {on: v0, chance: 9%}}
timeline: [{when: {step: prevote, on: v1, chance: 5%}, do: heal}, {step: commit, do: heal}]
`);
    expect(parsed.ok && parsed.value.timeline).toMatchObject([
      { on: 'v1', chancePpm: 50_000 },
      { on: 'v0', chancePpm: 90_000 },
    ]);
  });

  test('gives what is common to those only that can have it', () => {
    const parsed = parseScenario(`${base}defaults:
  validators: {power: 20}
  timeline: {for: 2s}
  clients: {at: a, rate: 2/s, script: transfers}
validators: {a: {}, b: {}, c: {twin_of: a}}
nodes: {late: {}}
timeline:
  - {at: 1s, do: {crash: a}}
  - {at: 2s, do: heal}
  - {at: 3s, do: {add_node: late}}
clients: [{name: x, kind: bank}, {name: y, kind: eth}, {name: z, kind: ws, subscribe: [logs]}]
`);
    expect(parsed.ok && parsed.value).toMatchObject({
      validators: [{ power: 20 }, { power: 20 }, { power: 0, twinOf: 'a' }],
      timeline: [{ duration: 2_000_000 }, { duration: undefined }, { duration: undefined }],
      bankers: [{ period: 500_000 }],
      listeners: [{ name: 'z' }],
    });
  });

  test.each([
    [
      'a stream of choices that is not there',
      `${base}choices: {zero: [link/v0>v1/loss, lnik]}\n`,
      '3:35 choices.zero[1]: expected a label of link, connection, jitter, sync',
    ],
    [
      'a jump that moves nothing',
      `${base}timeline: [{at: 1s, do: {clock: {target: v0, jump: 0s}}}]\n`,
      'timeline[0].do.clock.jump: expected a jump that is not zero',
    ],
    [
      'a key of the entry inside of its action',
      `${base}timeline: [{at: 1s, do: {crash: a, for: 2s}}]\n`,
      '3:41 timeline[0].do.for: expected "for" next to "do", not inside of it',
    ],
    [
      'a number as a name',
      'name: 5\nuntil: {height: 3}\n',
      '1:7 name: expected text as a name: "5", in quotes',
    ],
    ['an unknown key', `${base}nonsense: 1\n`, '3:1 unknown key "nonsense", expected one of name, seed'],
    [
      'defaults that no entry can have',
      `${base}defaults: {clients: {colour: red}}\nclients: [{name: a, kind: eth, at: v0}]\n`,
      '3:22 defaults.clients: unknown key "colour", expected one of name, kind, at',
    ],
    [
      'defaults for nothing',
      `${base}defaults: {timeline: {times: 2}}\n`,
      '3:22 defaults.timeline: expected a key timeline in the scenario',
    ],
    [
      'a wrong default',
      `${base}defaults: {clients: {at: v7}}\nclients: [{name: a, kind: eth}]\n`,
      '3:26 defaults.clients.at: unknown validator "v7"',
    ],
    [
      'an unknown group',
      `${base}timeline: [{at: 1s, do: {crash: group eu}}]\n`,
      '3:33 timeline[0].do.crash: unknown group "eu", expected a region',
    ],
    [
      'two validators with one key',
      `${base}validators: {a: {}, b: {key: a}}\n`,
      'expected a key of its own: a has it; twin_of',
    ],
    [
      'a store of another kind',
      `${base}validators: {a: {store: fast}}\n`,
      '3:25 validators.a.store: expected store: {sync?, batch?, sign?}',
    ],
    [
      'an application that takes its time for something else',
      `${base}validators: {a: {app: {execute: 1s}}}\n`,
      '3:24 validators.a.app: unknown key "execute", expected one of verdict, answer',
    ],
    [
      'a client of another kind',
      `${base}clients: [{name: a, kind: carrier, at: v0}]\n`,
      '3:27 clients[0].kind: expected a kind of client, one of evm, bank',
    ],
    [
      'a key of another kind of client',
      `${base}clients: [{name: a, kind: bank, at: v0, read_rate: 1/s}]\n`,
      'expected no read_rate with kind bank',
    ],
    [
      'a subscription that is none',
      `${base}clients: [{name: a, kind: ws, at: v0, subscribe: [oldHeads]}]\n`,
      'expected a subscription, one of newHeads, logs',
    ],
    [
      'a light client of another mode',
      `${base}clients: [{name: a, kind: light, at: v0, args: {mode: jumping}}]\n`,
      'expected a mode, one of skipping, adjacent',
    ],
    [
      'a ratio with plain transfers',
      `${base}clients: [{name: a, kind: evm, at: v0, args: {revert_ratio: 0.1}}]\n`,
      'expected no revert_ratio with script transfers',
    ],
    [
      'keys of a type that no chain has',
      `${base}validators: {a: {key_type: rsa}}\n`,
      '3:28 validators.a.key_type: expected a type of keys, one of ed25519, secp256k1',
    ],
    [
      'a twin with a type of its own',
      `${base}validators: {a: {}, b: {twin_of: a, key_type: secp256k1}}\n`,
      '3:47 validators.b.key_type: expected no key_type: a twin has the key of the other',
    ],
    ['a search for nothing', `${base}search: {}\n`, '3:9 search: expected a key twins, pct or swarm'],
    ['a depth of nothing', `${base}search: {pct: {runs: 3}}\n`, '3:15 search.pct: expected a key depth'],
    [
      'a key that cannot vary',
      `${base}search: {swarm: {runs: 3, vary: [crash.colour]}}\n`,
      '3:34 search.swarm.vary[0]: expected KEY or ACTION.KEY',
    ],
    ...['timeline: [{at: 1s, do: {crash: v1}}]\n', ''].map((timeline) => [
      `a key that nothing has, ${timeline === '' ? 'without' : 'beside'} a timeline`,
      `${base}search: {swarm: {runs: 3, vary: [partition.at]}}\n${timeline}`,
      '3:34 search.swarm.vary[0]: expected what the timeline has: no entry of it has partition.at',
    ]),
    [
      'pairs that are no twins',
      `${base}validators: {a: {}, b: {}, c: {twin_of: a}}\nsearch: {twins: {pairs: [[a, b]]}}\n`,
      '4:26 search.twins.pairs[0]: expected two names, one of them with twin_of the other',
    ],
    [
      'a torn record left in part of a rotten database',
      `${base}timeline: [{at: 1s, do: {disk: {target: v0, fault: rot, keep: 3}}}]\n`,
      'expected no keep with rot',
    ],
    [
      'a place in the log that is none',
      `${base}timeline: [{at: 1s, do: {disk: {target: v0, fault: torn, at: middle}}}]\n`,
      'expected a place in the log, one of first_record',
    ],
    [
      'a receipt promised wrongly',
      `${base}clients: [{name: a, kind: bank, at: v0}]\nexpect: [{receipt: {for: a, each: twice}}]\n`,
      '4:35 expect[0].receipt.each: expected what always holds, one of once',
    ],
    [
      'a wait without a unit',
      `${base}expect: [{resources: {consensus_stall_max: 50}}]\n`,
      'consensus_stall_max: expected a duration',
    ],
    [
      'clocks that nobody knows',
      `${base}expect: [{never: "block.time > max(all clocks)"}]\n`,
      'expected max(correct clocks), or max(correct clocks at vote)',
    ],
    [
      'two times for one liar',
      `${base}byzantine: [{who: v0, behaviour: B02, when: {at: 1s, after: 2s}}]\n`,
      'expected only one of at and after',
    ],
    [
      'a duration without a unit',
      `${base}timeline: [{at: 5, do: heal}]\n`,
      '3:17 timeline[0].at: expected a duration with a unit',
    ],
    ['a bad unit', 'name: x\nuntil: {time: 5 minutes}\n', '2:15 until.time: expected a duration with a unit'],
    [
      'an unknown validator',
      `${base}timeline: [{at: 5s, do: {crash: v9}}]\n`,
      '3:33 timeline[0].do.crash: unknown validator "v9", expected one of v0, v1, v2, v3',
    ],
    [
      'an unknown behaviour',
      `${base}byzantine: [{who: v0, behaviour: rude}]\n`,
      '3:34 byzantine[0].behaviour: unknown behaviour "rude"',
    ],
    [
      'an unknown argument',
      `${base}byzantine: [{who: v0, behaviour: B15, args: {why: 1}}]\n`,
      '3:51 byzantine[0].args.why: unknown argument, expected one of: what',
    ],
    [
      'an argument that is no number',
      `${base}byzantine: [{who: v0, behaviour: edge-rider, args: {ms: soon}}]\n`,
      '3:57 byzantine[0].args.ms: expected milliseconds without a unit, a whole number 0..3600000',
    ],
    [
      'an argument out of range',
      `${base}byzantine: [{who: v0, behaviour: future-flood, args: {rounds: 0}}]\n`,
      '3:63 byzantine[0].args.rounds: expected a number of rounds, a whole number 1..1000',
    ],
    [
      'a trusted block before the first',
      `${base}byzantine: [{who: v0, behaviour: light-attack, args: {trusted: 0}}]\n`,
      '3:64 byzantine[0].args.trusted: expected a height, a whole number 1..2000000000',
    ],
    [
      'a victim that is not there',
      `${base}byzantine: [{who: v0, behaviour: censored-precommit, args: {victim: v9}}]\n`,
      '3:69 byzantine[0].args.victim: unknown validator "v9"',
    ],
    [
      'a flag that is none',
      `${base}byzantine: [{who: v0, behaviour: double-prevote, args: {only: 1}}]\n`,
      '3:63 byzantine[0].args.only: expected only, true or false',
    ],
    [
      'what comes again and again without a pause',
      `${base}timeline: [{every: 0s, do: {crash: v0}, for: 1s}]\n`,
      '3:20 timeline[0].every: expected at least 1ms, for what comes again and again',
    ],
    [
      'an accuser of nobody',
      `${base}clients: [{name: a, kind: accuser, at: v0}]\n`,
      'clients[0]: expected a key against among the args',
    ],
    [
      'an accuser of a node without a key',
      `${base}nodes: {full0: {}}\nclients: [{name: a, kind: accuser, at: v0, args: {against: full0}}]\n`,
      'clients[0].args.against: unknown validator "full0"',
    ],
    [
      'an unconditional peer that there is not',
      `${base}peers: {seeds: [v0], unconditional: [w0]}\n`,
      'peers.unconditional[0]: unknown validator "w0"',
    ],
    [
      'a peer that has others only',
      `${base}nodes: {a: {peers: [b]}, b: {peers: [v0]}}\n`,
      '3:12 nodes.a: expected a among the peers of b, which has no others than it names',
    ],
    [
      'two actions in one',
      `${base}timeline: [{at: 1s, do: {crash: v0, pause: v1}}]\n`,
      '3:25 timeline[0].do: expected exactly one action',
    ],
    [
      'an option that does not belong',
      `${base}timeline: [{at: 1s, do: {pause: v0, power_loss: none}}]\n`,
      'expected no such key with pause',
    ],
    [
      'a duration for what cannot be undone',
      `${base}timeline: [{at: 1s, do: heal, for: 2s}]\n`,
      'expected no key for with heal',
    ],
    ['a missing end', 'name: x\n', '1:1 expected a key until'],
    ['a missing name', 'until: {height: 1}\n', '1:1 expected a key name'],
    ['a duplicate key', 'name: x\nname: y\nuntil: {height: 1}\n', '2:1 the key "name" stands there twice'],
    [
      'a seed of two words',
      'name: x\nseed: a b\nuntil: {height: 1}\n',
      '2:7 seed: expected a seed: 1 to 64 letters',
    ],
    ['a seed that is a truth', 'name: x\nseed: true\nuntil: {height: 1}\n', '2:7 seed: expected a seed'],
    [
      'an end that the limit forestalls',
      'name: x\nengine: {time_max: 5s}\nuntil: {first: [{height: 3}, {time: 6s}]}\n',
      '3:37 until.first[1].time: expected at most engine.time_max, 5s',
    ],
    [
      'a range from high to low',
      `${base}network: {delay: 9ms-1ms}\n`,
      '3:18 network.delay: expected a range from low to high',
    ],
    [
      'accounts too few',
      `${base}clients: [{name: a, kind: evm, at: v0, script: authorities, args: {accounts: 1}}]\n`,
      '3:78 clients[0].args.accounts: expected at least 2',
    ],
    [
      'accounts too few for coins that come back',
      `${base}clients: [{name: a, kind: evm, at: v0, script: refunded, args: {accounts: 1}}]\n`,
      '3:75 clients[0].args.accounts: expected at least 2',
    ],
    [
      'accounts too few for bounds of coins',
      `${base}clients: [{name: a, kind: bank, at: v0, script: bounds, args: {accounts: 1}}]\n`,
      '3:74 clients[0].args.accounts: expected at least 2',
    ],
    [
      'the block just decided, at the end',
      `${base}expect: [{app: "exists n in nodes: n.height == block.height"}]\n`,
      '3:16 expect[0].app: expected no block, which nothing has at the end of the run',
    ],
    [
      'the clocks of a vote, at the end',
      `${base}expect: [{app: "block(2).time < max(correct clocks at vote)"}]\n`,
      'expected no clocks at vote',
    ],
    ['what no sentence is', `${base}expect: [{app: "1"}]\n`, '3:16 expect[0].app'],
    ['an alias', 'name: x\nseed: *a\nuntil: {height: 1}\n', '2:7 aliases are not allowed'],
    ['an anchor', 'name: &a x\nuntil: {height: 1}\n', '1:10 anchors are not allowed'],
    ['an anchor of a key', '&a name: x\nuntil: {height: 1}\n', 'anchors are not allowed'],
    ['broken YAML', 'name: [x\n', '2:1 not YAML: '],
    ['no map', '- 1\n', '1:1 expected a scenario'],
    ['an empty file', '', '1:1 expected a scenario'],
    [
      'a probability above one',
      `${base}network: {loss: 2}\n`,
      '3:17 network.loss: expected a probability of at most 100%',
    ],
    [
      'a height of zero',
      'name: x\nuntil: {height: 0}\n',
      '2:17 until.height: expected a height, a whole number 1..1000000',
    ],
    [
      'a checker that does not exist',
      `${base}expect: [honesty]\n`,
      '3:10 expect[0]: expected a checker, one of agreement',
    ],
    [
      'a misspelt expectation',
      `${base}expect: [livenes]\n`,
      'expected a checker, one of agreement, validity, no_self_equivocation, no_framing, app_hash, lock, conduct, ' +
        'no_crash, durability, answers, accountability, or a map; did you mean liveness?',
    ],
    [
      'an expectation without what it demands',
      `${base}expect: [liveness]\n`,
      'expect[0]: expected a map, such as {liveness: …}',
    ],
    [
      'a misspelt field',
      `${base}mutate: [{who: v0, message: vote, field: vote.rond, op: inc}]\n`,
      '; did you mean vote.round?',
    ],
    ['an unknown client', `${base}expect: [{receipt: {for: bob}}]\n`, 'unknown client "bob"'],
    [
      'a validator in two groups',
      `${base}timeline: [{at: 1s, do: {partition: [[v0], [v0, v1]]}}]\n`,
      '"v0" is in two',
    ],
    [
      'a search of another kind',
      `${base}search: {tower: {}}\n`,
      '3:10 search: unknown key "tower", expected one of twins, pct, swarm',
    ],
    [
      'a search without twins',
      `${base}search: {twins: {rounds: 2}}\n`,
      'expected twins among the validators',
    ],
    [
      'a twin of nobody',
      `${base}validators: {a: {}, b: {twin_of: c}}\n`,
      '3:34 validators.b.twin_of: unknown validator "c"',
    ],
    [
      'a twin of a twin',
      `${base}validators: {a: {}, b: {twin_of: a}, c: {twin_of: b}}\n`,
      'expected a validator with a key of its own, b is a twin',
    ],
    ['a twin with power', `${base}validators: {a: {}, b: {twin_of: a, power: 3}}\n`, 'expected no power'],
    ['a node that is a validator', `${base}nodes: {v0: {}}\n`, 'expected a name that no validator has'],
    ['a node of another mode', `${base}nodes: {f: {mode: light}}\n`, '3:19 nodes.f.mode: expected a mode'],
    [
      'a lying proposer of the moment',
      `${base}byzantine: [{who: proposer, behaviour: B02}]\n`,
      'expected names, all or random K',
    ],
    [
      'a word that an argument cannot be',
      `${base}byzantine: [{who: v0, behaviour: B25, args: {what: colour}}]\n`,
      'expected a value of what, one of address, order',
    ],
    [
      'a trigger of another kind',
      `${base}byzantine: [{who: v0, behaviour: B02, when: {moon: full}}]\n`,
      '3:46 byzantine[0].when: unknown key "moon"',
    ],
    [
      'a field that a message does not have',
      `${base}mutate: [{who: v0, message: vote, field: vote.colour, op: inc}]\n`,
      'unknown field "vote.colour" of vote, expected one of vote.type',
    ],
    [
      'a mutation without a field',
      `${base}mutate: [{who: v0, message: vote, op: inc}]\n`,
      'only drop can take the whole message',
    ],
    [
      'a value without a place',
      `${base}mutate: [{who: v0, message: vote, field: vote.round, op: inc, value: 3}]\n`,
      'expected no value with inc',
    ],
    [
      'an upgrade to nothing',
      `${base}timeline: [{at: 1s, do: {upgrade: v0}}]\n`,
      'expected a key to: the version',
    ],
    [
      'a crash that is hard',
      `${base}timeline: [{at: 1s, do: {crash: v0, hard: true}}]\n`,
      'expected no such key with crash',
    ],
    [
      'an end before the chain begins',
      `${base}genesis: {initial_height: 50}\n`,
      'until.height: expected a height, a whole number 50..1000049',
    ],
    [
      'time-outs that never grow',
      `${base}engine: {timeout_prevote_delta: 0s}\n`,
      'engine.timeout_prevote_delta: expected at least 1ms',
    ],
    [
      'evidence of no age',
      `${base}genesis: {evidence_time: 0s}\n`,
      'genesis.evidence_time: expected more than no time',
    ],
    [
      'more evidence than a block may hold',
      `${base}genesis: {block_bytes: 5000, evidence_bytes: 6000}\n`,
      'genesis.evidence_bytes: expected a size in bytes, a whole number 0..5000',
    ],
    [
      'a price without a unit',
      `${base}genesis: {min_gas_price: 2}\n`,
      'genesis.min_gas_price: expected a price of gas, such as 2gwei or 7wei, of at most 1000000gwei',
    ],
    [
      'a price that nobody can pay',
      `${base}genesis: {base_fee: 1000001gwei}\n`,
      'genesis.base_fee: expected a price of gas',
    ],
    [
      'rules for a base fee that there is not',
      `${base}genesis: {no_base_fee: true, elasticity: 2}\n`,
      'genesis.elasticity: expected no such key where there is no base fee',
    ],
    [
      'updates out of order',
      `${base}updates: [{height: 5, validators: {v0: 3}}, {height: 5, validators: {v1: 3}}]\n`,
      'updates[1].height: expected a height after that of the update before, a whole number 6..',
    ],
    [
      'power for a key that is not allowed any more',
      `${base}validators: {a: {}, b: {key_type: secp256k1}}\nupdates: [{height: 5, key_types: [ed25519], validators: {b: 5}}, {height: 6, validators: {b: 7}}]\n`,
      'updates[1].validators.b: expected 0: the chain does not allow the key of b',
    ],
    [
      'no types of keys',
      `${base}updates: [{height: 5, key_types: []}]\n`,
      'updates[0].key_types: expected at least one type of keys',
    ],
    [
      'an update that changes nothing',
      `${base}updates: [{height: 5}]\n`,
      'updates[0]: expected validators or a parameter that changes',
    ],
    [
      'an update of validators that names none',
      `${base}updates: [{height: 5, validators: {}}]\n`,
      'updates[0].validators: expected at least one validator that changes',
    ],
    [
      'power for nobody',
      `${base}updates: [{height: 5, validators: {v9: 3}}]\n`,
      'updates[0].validators.v9: unknown validator "v9"',
    ],
    [
      'no power to take',
      `${base}validators: {a: {}, b: {power: 0}}\nupdates: [{height: 5, validators: {b: 0}}]\n`,
      'updates[0].validators.b: expected a power: b has none to lose',
    ],
    [
      'a chain without validators',
      `${base}validators: {a: {}, b: {}}\nupdates: [{height: 5, validators: {a: 0}}, {height: 6, validators: {b: 0}}]\n`,
      'updates[1].validators: expected at least one validator to stay',
    ],
    [
      'power for a twin',
      `${base}validators: {a: {}, b: {}, c: {twin_of: b}}\nupdates: [{height: 5, validators: {c: 1}}]\n`,
      'updates[0].validators.c: expected a validator with a key of its own, c is a twin',
    ],
    [
      'a sentence that cannot be read',
      `${base}expect: [{never: "node(v1).heigth > 3"}]\n`,
      '3:18 expect[0].never: expected a field: height, round',
    ],
    [
      'within without eventually',
      `${base}expect: [{never: "block.txs > 3", within: 3s}]\n`,
      'expected within next to eventually only',
    ],
    [
      'a share that is none',
      `${base}expect: [{guilty: {power_at_least: 3/0}}]\n`,
      'expected a share of the power, such as 1/3',
    ],
    [
      'resources without a bound',
      `${base}expect: [{resources: {node: v0}}]\n`,
      'expected one of pool_txs_max',
    ],
    [
      'milliseconds with a unit',
      `${base}byzantine: [{who: v0, behaviour: edge-rider, args: {ms: 5ms}}]\n`,
      'args.ms: expected milliseconds without a unit',
    ],
    [
      'a time beyond all calendars',
      `${base}byzantine: [{who: v0, behaviour: wrong-time, args: {seconds: 1e300}}]\n`,
      'args.seconds: expected seconds without a unit, a whole number -1000000000..1000000000',
    ],
    [
      'fewer parts than none',
      `${base}byzantine: [{who: v0, behaviour: oversize-total, args: {total: -3}}]\n`,
      'args.total: expected a number of parts, a whole number 0..',
    ],
    [
      'evidence without a number',
      `${base}byzantine: [{who: v0, behaviour: evidence-spam, args: {count: many}}]\n`,
      'args.count: expected how many, a whole number 1..1000',
    ],
    [
      'evidence without an age',
      `${base}byzantine: [{who: v0, behaviour: evidence-spam, args: {age: abc}}]\n`,
      'args.age: expected a number of blocks, a whole number',
    ],
    [
      'a flag that is another word',
      `${base}byzantine: [{who: v0, behaviour: double-prevote, args: {only: yes}}]\n`,
      'args.only: expected only, true or false',
    ],
    [
      'what comes again too often',
      `${base}timeline: [{every: 1us, do: heal}]\n`,
      'timeline[0].every: expected at least 1ms',
    ],
    [
      'a lie that comes again too often',
      `${base}byzantine: [{who: v0, behaviour: silent, when: {every: 999us}}]\n`,
      'byzantine[0].when.every: expected at least 1ms',
    ],
    ['no end of several', 'name: x\nuntil: {first: []}\n', '2:16 until.first: expected at least one end'],
    ['no time at all', 'name: x\nuntil: {time: 0s}\n', '2:15 until.time: expected a duration above zero'],
    [
      'a limit of nothing',
      `${base}engine: {time_max: 0s}\n`,
      'engine.time_max: expected a duration above zero',
    ],
    ['an expectation of nothing', `${base}expect: [{}]\n`, 'expect[0]: expected at least one expectation'],
    [
      'a checker that is on and off',
      `${base}expect: [agreement, {off: [agreement]}]\n`,
      '3:9 expect: expected agreement either by itself or switched off',
    ],
    [
      'more liars than validators',
      `${base}byzantine: [{who: random 9, behaviour: silent}]\n`,
      'byzantine[0].who: expected at most random 4',
    ],
    [
      'more targets than nodes',
      `${base}timeline: [{at: 1s, do: {crash: random 5}}]\n`,
      'do.crash: expected at most random 4: there are no more',
    ],
    ['a target of nobody', `${base}timeline: [{at: 1s, do: {crash: random 0}}]\n`, 'expected at least one'],
    ['a validator called all', `${base}validators: {all: {}}\n`, 'the word "all" has a meaning'],
    ['a node called world', `${base}nodes: {world: {}}\n`, 'the word "world" has a meaning'],
    [
      'a name too long',
      `name: ${'x'.repeat(101)}\nuntil: {height: 1}\n`,
      '1:7 name: expected a name: a letter or',
    ],
    [
      'a validator with a number for a name',
      `${base}validators: {1a: {}}\n`,
      '3:18 validators.1a: expected a name: a letter, then letters, digits, - and _, at most 32 in all',
    ],
    [
      'a twin of itself',
      `${base}validators: {a: {}, b: {twin_of: b}}\n`,
      'validators.b.twin_of: expected another validator: nobody is a twin of itself',
    ],
    [
      'a misbehaviour that is found elsewhere',
      `${base}byzantine: [{who: v3, behaviour: B30}]\n`,
      'byzantine[0].behaviour: B30 is no behaviour, but a validator with twin_of',
    ],
    [
      'somebody to whom a time belongs',
      `${base}timeline: [{at: 1s, on: v0, do: {crash: v0}}]\n`,
      '3:25 timeline[0].on: expected no on with at: a time is that of nobody',
    ],
    [
      'heights within heights',
      `${base}expect: [{liveness: {heights: 3, within: 5 heights}}]\n`,
      'expect[0].liveness.within: expected a duration, such as 60s, or auto',
    ],
    [
      'ids that would all be the same',
      `${base}choices: {zero: [ids]}\n`,
      '3:18 choices.zero[0]: expected a label of link, connection, jitter, sync, sign',
    ],
    [
      'a choice of nobody',
      `${base}choices: {zero: [link/v9>v1/delay]}\n`,
      '3:18 choices.zero[0]: unknown node "v9", expected one of v0',
    ],
    [
      'links that stay as they are',
      `${base}timeline: [{at: 1s, do: {link: {from: v0}}}]\n`,
      'do.link: expected one of delay, loss, dup',
    ],
    [
      'a round that no vote can hold',
      `${base}mutate: [{who: v0, message: vote, field: vote.round, op: set, value: 99999999999}]\n`,
      '3:70 mutate[0].value: expected vote.round, a whole number -2147483648..2147483647',
    ],
    [
      'parts that no header can count',
      `${base}mutate: [{who: v0, message: vote, field: vote.blockId.parts.total, op: set, value: -1}]\n`,
      'expected vote.blockId.parts.total, a whole number 0..4294967295',
    ],
    [
      'a field set to what it cannot be',
      `${base}mutate: [{who: v0, message: vote, field: vote.round, op: set, value: abc}]\n`,
      'mutate[0].value: expected vote.round, a whole number',
    ],
    [
      'a hash that is not hex',
      `${base}mutate: [{who: v0, message: vote, field: vote.blockId.hash, op: set, value: zz}]\n`,
      'mutate[0].value: expected vote.blockId.hash in hex',
    ],
    [
      'a list set to a value',
      `${base}mutate: [{who: v0, message: txs, field: txs, op: set, value: 3}]\n`,
      'mutate[0].value: expected another op: txs is a list',
    ],
    [
      'a sentence that can never hold',
      `${base}expect: [{never: "v0 > v1"}]\n`,
      'expected == or !=: a node is neither more nor less than another, at character 4',
    ],
    [
      'a checkpoint that never comes',
      `${base}timeline: [{when: {event: checkpoint(nix)}, do: gst}]\n`,
      'timeline[0].when.event: no checkpoint of the timeline is called "nix": there is none',
    ],
    [
      'a moment beside another',
      `${base}timeline: [{at: 1s, when: {height: 3}, do: gst}]\n`,
      'timeline[0].at: expected no at next to when',
    ],
    [
      'an end for a node that joins',
      `${base}nodes: {a: {}}\ntimeline: [{at: 1s, do: {add_node: a}, for: 2s}]\n`,
      'timeline[0].for: expected no key for with add_node',
    ],
    [
      'two documents',
      'name: x\nuntil: {height: 1}\n---\nname: y\n',
      '3:1 expected one document: a second begins here',
    ],
    ['many lists', '['.repeat(100_000), '1:100 expected at most 32 lists and maps inside each other'],
    [
      'many ends',
      `name: x\nuntil: ${'{first: ['.repeat(20)}{height: 1}${']}'.repeat(20)}\n`,
      'expected at most 32 lists and maps inside each other',
    ],
    ['much to read', `${base}# ${'x'.repeat(1024 * 1024)}\n`, '1:1 expected at most 1048576 characters'],
    [
      'a client where there is none',
      `${base}expect: [{receipt: {for: bob}}]\n`,
      'unknown client "bob": there is none',
    ],
    [
      'a client that gets no receipts',
      `${base}clients: [{name: al, kind: evm, at: v0}, {name: eve, kind: eth, at: v0}]
expect: [{receipt: {for: eve}}]
`,
      'expect[0].receipt.for: expected another kind of client than that of "eve", expected one of al',
    ],
    [
      'more receipts than transactions',
      `${base}clients: [{name: al, kind: evm, at: v0, args: {count: 3}}]
expect: [{receipt: {for: al, at_least: 4}}]
`,
      'expect[0].receipt.at_least: expected a number of what it sends, a whole number 1..3',
    ],
    [
      'a subscriber by two keys',
      `${base}clients: [{name: p, kind: ws, at: v0, subscribe: [logs]}]
expect: [{ws: {for: p, client: p}}]
`,
      'expect[0].ws.client: expected only one of for and client',
    ],
    [
      'a witness that is asked anyway',
      `${base}clients: [{name: p, kind: light, at: v0, args: {witnesses: [v1, v0]}}]
`,
      'clients[0].args.witnesses: expected others than v0, which it asks anyway',
    ],
    [
      'a second client of a name',
      `${base}clients:
  - {name: al, kind: eth, at: v0}
  - {name: al, kind: bank, at: v0}
`,
      '5:5 clients[1]: expected another name: two clients are called al',
    ],
    [
      'a lie to oneself',
      `${base}byzantine: [{who: v3, behaviour: B02, to: [v3]}]
`,
      'byzantine[0].to: expected others than v3: nobody lies to itself',
    ],
    [
      'a count of no crash point',
      `${base}timeline: [{at: 1s, do: {crash: v0, count: 2}}]
`,
      'timeline[0].do.count: expected a key point next to count',
    ],
    [
      'a word that stands for nodes elsewhere',
      `${base}timeline: [{at: 1s, do: {link: {from: random 2, loss: 1%}}}]
`,
      'link.from: expected names here, or group NAME where a list can stand, not "random 2"',
    ],
    [
      'an end before liveness can be there',
      `${base}genesis: {initial_height: 3}
expect: [{liveness: {heights: 2}}]
`,
      '2:8 until: expected a later end: by then not all 2 heights of liveness can be decided',
    ],
    [
      'a bound for heights without one',
      `${base}engine: {empty_blocks: false}\nexpect: [{liveness: {heights: 2}}]\n`,
      'expect: expected a duration as within of liveness: with empty_blocks: false a height may take for ever',
    ],
    [
      'a bound for heights on links that carry too little',
      `${base}network: {rate: 100B/s}\nexpect: [{liveness: {heights: 2}}]\n`,
      'expect: expected a duration as within of liveness: with less than 250B/s for each validator as rate of the network a height may take for ever',
    ],
    [
      'a moment that comes again',
      `${base}timeline: [{at: 1s, times: 2, do: {crash: v0}, for: 1s}]\n`,
      'timeline[0].times: expected no times with at: a moment comes once; every comes again',
    ],
    [
      'an argument that its words leave without effect',
      `${base}byzantine: [{who: v0, behaviour: evidence-spam, args: {what: same, count: 3}}]\n`,
      'args.count: expected no count: it has an effect only with what: many or heap',
    ],
    [
      'an argument that the usual word leaves without effect',
      `${base}byzantine: [{who: v0, behaviour: fork, args: {field: time}}]\n`,
      'args.field: expected no field: it has an effect only with how: invalid',
    ],
    [
      'two ways to tell two votes',
      `${base}byzantine: [{who: v0, behaviour: double-prevote, args: {claimed: true, only: true}}]\n`,
      'args.claimed: expected no claimed: it has no effect next to only',
    ],
    [
      'a probability that rounds to none',
      `${base}network: {loss: 0.0000004}\n`,
      'network.loss: expected a probability of at least 0.0001%, or 0',
    ],
    [
      'an event of one node on another',
      `${base}timeline: [{when: {event: crashed(v0)}, on: v1, do: gst}]\n`,
      'timeline[0].on: expected no on with an event: it names its node',
    ],
    [
      'a time of one node inside of when',
      `${base}timeline: [{when: {every: 5s, on: v1}, do: heal}]\n`,
      'timeline[0].when.on: expected no on with every: a time is that of nobody',
    ],
    [
      'two nodes of one condition',
      `${base}timeline: [{when: {step: prevote, on: v0}, on: v1, do: heal}]\n`,
      'timeline[0].when.on: expected only one on: it stands next to this too',
    ],
    [
      'two chances of one condition',
      `${base}timeline: [{when: {step: prevote, chance: 5%}, chance: 6%, do: heal}]\n`,
      'timeline[0].when.chance: expected only one chance: it stands next to this too',
    ],
    [
      'a height that comes again',
      `${base}timeline: [{height: 2, times: 2, do: {crash: v0}, for: 1s}]\n`,
      'timeline[0].times: expected no times with a height: it comes once',
    ],
    [
      'a node that is its own peer',
      `${base}nodes: {full0: {peers: [full0]}}\n`,
      'nodes.full0.peers: expected others than full0 itself',
    ],
    [
      'a node that nobody declares',
      `${base}timeline: [{at: 1s, do: {add_node: full0}}]\n`,
      'do.add_node: unknown node "full0", expected one that the section nodes declares',
    ],
    [
      'a duration without an end',
      `${base}timeline: [{at: 9000h, do: heal}]\n`,
      'timeline[0].at: expected a duration of whole microseconds, at most 366 days',
    ],
    [
      'a duration before the start',
      `${base}timeline: [{at: -5s, do: heal}]\n`,
      'timeline[0].at: expected a duration that is not negative',
    ],
    [
      'a clog without an end',
      `${base}timeline: [{at: 1s, do: {clog: v0}}]\n`,
      'expected a key for next to clog',
    ],
  ])('with %s is refused where it is wrong', (_, text, expected) => {
    expect(errorOf(text)).toContain(expected);
  });
});
