import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { genesisJson, parseGenesis, renderGenesis } from '../../../core/codec/genesis.ts';
import {
  blockIdJson,
  blockJson,
  commitJson,
  evidenceJson,
  headerJson,
  paramsJson,
  txResultJson,
  validatorJson,
  validatorUpdateJson,
} from '../../../core/codec/json.ts';
import { JsonReader } from '../../../core/codec/jsonReader.ts';
import {
  parseNodeKey,
  parseValidatorKey,
  renderNodeKey,
  renderValidatorKey,
} from '../../../core/codec/keyFiles.ts';
import { formatProtoTime, formatSecond, formatTime, parseTime } from '../../../core/codec/timeText.ts';
import { nobleSuite } from '../../../core/crypto/noble.ts';
import { EMPTY, hex } from '../../../core/lib/bytes.ts';
import { ZERO_TIME } from '../../../core/types/ids.ts';
import { DEFAULT_PARAMS } from '../../../core/types/params.ts';
import * as any from './arbitraries.ts';
import { type Any, blockIdOf, blockOf, commitOf, headerOf, rpcFixture } from './vectors.ts';

const messageOf = (result: { ok: boolean; error?: { message: string } }): string =>
  result.error?.message ?? 'accepted';

describe('recorded replies are rendered as they were', () => {
  test.each(['block_at_height_1', 'block_at_height_10'])('%s', (name) => {
    const { block, block_id } = rpcFixture(name);
    expect(blockJson(blockOf(block))).toEqual(block);
    expect(blockIdJson(blockIdOf(block_id))).toEqual(block_id);
  });

  test('a commit with its header', () => {
    const { header, commit } = rpcFixture('commit_at_height_10').signed_header;
    expect(headerJson(headerOf(header))).toEqual(header);
    const early = { ...headerOf(header), version: { block: 11, app: 0 } };
    expect(headerJson(early)).toEqual({ ...header, version: { block: '11' } });
    expect(commitJson(commitOf(commit))).toEqual(commit);
  });

  test('consensus params', () => {
    expect(paramsJson(DEFAULT_PARAMS)).toEqual(rpcFixture('consensus_params').consensus_params);
  });

  test('evidence, with the keys of the tip of 0.38', () => {
    const { block } = rpcFixture('block_search_evidence').blocks[0];
    const { total_voting_power, validator_power, timestamp, ...votes } = block.evidence.evidence[0].value;
    const renamed = {
      TotalVotingPower: total_voting_power,
      ValidatorPower: validator_power,
      Timestamp: timestamp,
    };
    const evidence = blockOf(block).evidence[0];
    if (evidence === undefined) throw new Error('no evidence');
    expect(evidenceJson(evidence)).toEqual({
      type: 'tendermint/DuplicateVoteEvidence',
      value: { ...votes, ...renamed },
    });
  });

  test('the genesis document', () => {
    const { genesis } = rpcFixture('genesis');
    const parsed = parseGenesis(JSON.stringify(genesis));
    if (!parsed.ok) throw new Error(parsed.error.message);
    expect(genesisJson(parsed.value)).toEqual(genesis);
    expect(parseGenesis(renderGenesis(parsed.value))).toEqual(parsed);
    expect(parsed.value.params).toEqual(DEFAULT_PARAMS);
  });
});

test('what is empty is null, what is 64 bits wide is text', () => {
  const absent = { flag: 'absent', validatorAddress: EMPTY, timestamp: ZERO_TIME, signature: EMPTY } as const;
  const commit = {
    height: 1,
    round: 0,
    blockId: blockIdOf({ hash: '', parts: { total: 0, hash: '' } }),
    signatures: [absent],
  };
  expect(commitJson(commit)['signatures']).toEqual([
    { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null },
  ]);
  const result = {
    code: 0,
    data: EMPTY,
    log: '',
    info: '',
    gasWanted: 2n ** 60n,
    gasUsed: 1n,
    events: [],
    codespace: '',
  };
  const rendered = {
    code: 0,
    data: null,
    log: '',
    info: '',
    gas_wanted: '1152921504606846976',
    gas_used: '1',
  };
  expect(txResultJson(result)).toEqual({ ...rendered, events: [], codespace: '' });
  const pubKey = {
    type: 'ed25519',
    bytes: hex('6cd3651a5b39476e700b749df3bdb417fdfeec8641857703db630d16d3e4fefd'),
  } as const;
  const value = 'bNNlGls5R25wC3Sd8720F/3+7IZBhXcD22MNFtPk/v0=';
  expect(validatorJson({ address: hex('2dd9'), pubKey, power: 10n, priority: -3n })).toEqual({
    address: '2DD9',
    pub_key: { type: 'tendermint/PubKeyEd25519', value },
    voting_power: '10',
    proposer_priority: '-3',
  });
  const sum = { type: 'tendermint.crypto.PublicKey_Ed25519', value: { ed25519: value } };
  expect(validatorUpdateJson({ pubKey, power: 5n })).toEqual({ pub_key: { Sum: sum }, power: '5' });
  expect(validatorUpdateJson({ pubKey, power: 0n })).toEqual({ pub_key: { Sum: sum } });
});

describe('times', () => {
  test.each([
    ['0001-01-01T00:00:00Z', ZERO_TIME],
    ['1970-01-01T00:00:00Z', { seconds: 0, nanos: 0 }],
    ['1969-12-31T23:59:59.5Z', { seconds: -1, nanos: 500_000_000 }],
    ['2000-02-29T12:00:00.00000001Z', { seconds: 951825600, nanos: 10 }],
    ['2023-05-17T14:12:48.347696215Z', { seconds: 1684332768, nanos: 347696215 }],
    ['9999-12-31T23:59:59.999999999Z', { seconds: 253402300799, nanos: 999999999 }],
  ])('%s', (text, time) => {
    expect(formatTime(time)).toBe(text);
    expect(parseTime(text)).toEqual({ ok: true, value: time });
  });

  test.each([
    [0, '', ''],
    [600_000_000, '.6', '.600'],
    [1_000, '.000001', '.000001'],
    [120_000, '.00012', '.000120'],
    [7, '.000000007', '.000000007'],
  ])('a fraction of %i ns: as Go has it, as protobuf has it, and none', (nanos, nano, proto) => {
    const time = { seconds: 0, nanos };
    const at = (fraction: string) => `1970-01-01T00:00:00${fraction}Z`;
    expect([formatTime(time), formatProtoTime(time), formatSecond(time)]).toEqual([nano, proto, ''].map(at));
  });

  test('in another zone are converted', () => {
    expect(parseTime('2023-05-17T16:12:48+02:00')).toEqual(parseTime('2023-05-17T14:12:48Z'));
    expect(parseTime('2023-05-16T23:42:48-14:30')).toEqual(parseTime('2023-05-17T14:12:48Z'));
  });

  test('go there and back, and agree with the host to the millisecond', () => {
    fc.assert(
      fc.property(any.timestamp, (time) => {
        const text = formatTime(time);
        expect(parseTime(text)).toEqual({ ok: true, value: time });
        const ms = time.seconds * 1000 + Math.floor(time.nanos / 1_000_000);
        expect(text.slice(0, 19)).toBe(new Date(ms).toISOString().slice(0, 19));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    '2023-02-29T00:00:00Z',
    '2023-13-01T00:00:00Z',
    '2023-00-10T00:00:00Z',
    '2023-01-01T24:00:00Z',
    '2023-01-01T00:60:00Z',
    '2023-01-01T00:00:60Z',
    '2023-01-01T00:00:00',
    '2023-01-01T00:00:00.Z',
    '2023-01-01T00:00:00.0000000001Z',
    '2023-01-01t00:00:00z',
    '2023-01-01',
    '0000-12-31T23:59:59Z',
    '9999-12-31T23:59:59-01:00',
    '',
  ])('"%s" is refused', (text) => {
    expect(parseTime(text)).toMatchObject({ ok: false, error: { code: 'time' } });
  });
});

describe('a genesis document', () => {
  const base = rpcFixture('genesis').genesis;
  const parse = (change: Any) => parseGenesis(JSON.stringify({ ...base, ...change }));

  test('fills in what is missing', () => {
    const parsed = parse({
      consensus_params: undefined,
      initial_height: '0',
      validators: null,
      app_hash: undefined,
    });
    expect(parsed).toMatchObject({
      ok: true,
      value: { params: DEFAULT_PARAMS, initialHeight: 1, validators: [], appHash: EMPTY, appState: null },
    });
    const [validator] = base.validators;
    const unnamed = parse({ validators: [{ ...validator, address: undefined, name: undefined }] });
    expect(unnamed).toMatchObject({
      ok: true,
      value: { validators: [{ address: hex(validator.address), name: '' }] },
    });
    expect(parse({ app_state: { bank: {} } })).toMatchObject({ ok: true, value: { appState: { bank: {} } } });
  });

  test('says what it says, each param by itself', () => {
    const validators = [{ ...base.validators[0], name: 'first' }];
    const consensus_params = { version: { app: '7' }, abci: { vote_extensions_enable_height: '9' } };
    const parsed = parse({ validators, consensus_params, app_hash: '0a0b' });
    if (!parsed.ok) throw new Error(parsed.error.message);
    expect(parsed.value.params).toEqual({
      ...DEFAULT_PARAMS,
      version: { app: 7 },
      abci: { voteExtensionsEnableHeight: 9 },
    });
    expect(genesisJson(parsed.value)).toMatchObject({ validators, consensus_params, app_hash: '0A0B' });
    expect(parse({ consensus_params: { block: {} } })).toMatchObject({ value: { params: DEFAULT_PARAMS } });
    expect(parse({ consensus_params: null })).toMatchObject({ value: { params: DEFAULT_PARAMS } });
  });

  test('without a time takes the one it is given, or is refused', () => {
    const { genesis_time, ...timeless } = base;
    const timed = parseGenesis(JSON.stringify(base), { seconds: 5, nanos: 0 });
    expect(timed.ok && formatTime(timed.value.genesisTime)).toBe(genesis_time);
    const text = JSON.stringify(timeless);
    expect(parseGenesis(text, { seconds: 5, nanos: 0 })).toMatchObject({
      ok: true,
      value: { genesisTime: { seconds: 5 } },
    });
    expect(messageOf(parseGenesis(text))).toBe('genesis genesis_time: expected a text');
  });

  test.each<readonly [Any, string]>([
    [{ chain_id: '' }, 'genesis chain_id: 0 bytes, expected 1 to 50'],
    [{ chain_id: 'x'.repeat(51) }, 'genesis chain_id: 51 bytes, expected 1 to 50'],
    [{ initial_height: '-1' }, 'genesis initial_height: is negative'],
    [
      { initial_height: '99999999999999999999' },
      'genesis initial_height: expected a whole number of 64 bits, in quotes',
    ],
    [
      { initial_height: String(2 ** 52 + 1) },
      'genesis initial_height: 4503599627370497, at most 4503599627370496 is allowed',
    ],
    [{ genesis_time: 'now' }, 'genesis genesis_time: expected an RFC 3339 time'],
    [{ app_hash: 'xyz' }, 'genesis app_hash: expected hex digits (hex string of odd length)'],
    [{ validators: {} }, 'genesis validators: expected a list'],
    [
      { validators: [{ ...base.validators[0], power: '0' }] },
      'genesis validators[0].power: expected a power above 0',
    ],
    [
      { validators: [{ ...base.validators[0], address: '00' }] },
      'genesis validators[0].address: expected 2DD9F44FD9067555C322243C3C913BA7B51D2BE0, the address of pub_key',
    ],
    [
      {
        validators: [{ ...base.validators[0], pub_key: { type: 'tendermint/PubKeyEd25519', value: 'AA==' } }],
      },
      'genesis validators[0].pub_key.value: expected 32 bytes in base64',
    ],
    [{ validators: [base.validators[0], base.validators[0]] }, 'genesis validators: one key is given twice'],
    [
      { validators: [{ ...base.validators[0], power: '1152921504606846976' }] },
      'genesis validators: total power 1152921504606846976, at most 1152921504606846975 is allowed',
    ],
    [
      { consensus_params: { block: { max_bytes: '0' } } },
      'genesis consensus_params.block.max_bytes: expected -1 or at least 1',
    ],
    [
      { consensus_params: { block: { max_bytes: '10' } } },
      'genesis consensus_params.evidence.max_bytes: at most block.max_bytes (10) is allowed',
    ],
    [
      { consensus_params: { validator: { pub_key_types: ['sr25519'] } } },
      'genesis consensus_params.validator.pub_key_types: "sr25519" is not ed25519 or secp256k1',
    ],
    [
      { consensus_params: { version: { app: '-1' } } },
      'genesis consensus_params.version.app: expected at least 0',
    ],
  ])('with %j is refused', (change, message) => {
    expect(messageOf(parse(change))).toBe(message);
  });

  test('reads half of a surrogate pair as Go does, so that the chain is the same after a restart', () => {
    expect(parse({ chain_id: '\ud800_1-1' })).toMatchObject({ value: { chainId: '\ufffd_1-1' } });
  });

  test('that is no JSON object is refused', () => {
    expect(messageOf(parseGenesis('{'))).toBe('genesis is not JSON');
    expect(messageOf(parseGenesis('[]'))).toBe('genesis document: expected an object');
  });
});

test('a list may be as long as its bound, a number as wide as int64', () => {
  const reader = new JsonReader();
  expect(reader.list([1, 2], 'two', 2)).toEqual([1, 2]);
  expect([`${2n ** 63n - 1n}`, `${-(2n ** 63n)}`].map((text) => reader.big(text, 'number'))).toEqual([
    2n ** 63n - 1n,
    -(2n ** 63n),
  ]);
  expect(reader.problem).toBeUndefined();
  for (const value of [`${2n ** 63n}`, `${-(2n ** 63n) - 1n}`, 2 ** 53, 0.5, '0x1', ''])
    expect(new JsonReader().big(value, 'number'), String(value)).toBe(0n);
  const full = new JsonReader();
  expect(full.list([1, 2, 3], 'three', 2)).toEqual([]);
  expect(full.problem?.message).toBe('three: expected at most 2 entries');
});

describe('key files', () => {
  const seed = new Uint8Array(32).fill(9);
  const key = { seed, publicKey: nobleSuite.ed25519PublicKey(seed) };

  test('of a node go there and back', () => {
    expect(parseNodeKey(renderNodeKey(key))).toEqual({ ok: true, value: key });
    expect(renderNodeKey(key)).toMatch(/^\{"priv_key":\{"type":"tendermint\/PrivKeyEd25519","value":"CQkJ/);
  });

  test('of a validator go there and back', () => {
    const parsed = parseValidatorKey(renderValidatorKey(key));
    expect(parsed).toMatchObject({ ok: true, value: key });
  });

  test('that do not fit together are refused without telling the secret', () => {
    const file = JSON.parse(renderValidatorKey(key));
    const refused = [
      { ...file, address: '00' },
      { ...file, pub_key: { ...file.pub_key, value: Buffer.alloc(32).toString('base64') } },
      { ...file, priv_key: { ...file.priv_key, value: Buffer.alloc(64).toString('base64') } },
      { ...file, priv_key: { ...file.priv_key, type: 'other' } },
    ].map((one) => parseValidatorKey(JSON.stringify(one)));
    expect(refused.map((one) => (one.ok ? 'accepted' : one.error.field))).toEqual([
      'address',
      'pub_key',
      'priv_key.value',
      'priv_key.type',
    ]);
    for (const one of refused) expect(messageOf(one)).not.toContain('CQkJ');
    expect(parseNodeKey('nonsense').ok).toBe(false);
  });
});
