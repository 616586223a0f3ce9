import { describe, expect, test } from 'vitest';
import { encodeBlocksyncMessage } from '../../core/codec/messages.ts';
import { voteSignBytes } from '../../core/codec/signBytes.ts';
import type { SignAsk } from '../../core/node/contract.ts';
import type { BlockId } from '../../core/types/block.ts';
import { ZERO_BLOCK_ID } from '../../core/types/block.ts';
import type { CheckerContext } from '../../sim/checkers/checker.ts';
import { lockRule, noSelfEquivocation } from '../../sim/checkers/safety/equivocationAndLock.ts';
import type { NodeFactory } from '../../sim/machine/simNode.ts';
import { runScenario } from '../../sim/run.ts';
import type { Fact } from '../../sim/world/facts.ts';

const SCENARIO = 'name: x\nvalidators: {count: 4}\nengine: {time_max: 30s}\nuntil: {height: 4}\n';

/** Names of the checkers that complain when v1's node is changed by `breaking`. */
async function complaints(
  breaking: (real: NodeFactory) => NodeFactory,
  scenario = SCENARIO,
): Promise<readonly string[]> {
  const result = await runScenario(scenario, {
    crypto: 'keyed-hash',
    nodes: (real) => async (env) => (env.name === 'v1' ? breaking(real)(env) : real(env)),
  });
  if (!result.ok) throw new Error(result.error.message);
  return [...new Set(result.value.failures.map((failure) => failure.checker))];
}

describe('a node that is broken on purpose is found', () => {
  test('whose application computes another app hash', async () => {
    const found = await complaints((real) => async (env) => {
      const node = await real(env);
      return {
        ...node,
        async handle(ask) {
          const reply = await node.handle(ask);
          if (reply.kind !== 'finalized') return reply;
          const appHash = reply.result.appHash.map((byte) => byte ^ 1);
          return { kind: 'finalized', result: { ...reply.result, appHash } };
        },
      };
    });
    expect(found).toContain('app_hash');
  });

  test('whose code throws', async () => {
    const found = await complaints((real) => async (env) => {
      const node = await real(env);
      return {
        ...node,
        input(input) {
          if (input.kind === 'app') throw new RangeError('broken');
          node.input(input);
        },
      };
    });
    expect(found).toContain('no_crash');
  });

  test('that looks at the real clock, even when the error is swallowed', async () => {
    const found = await complaints((real) => async (env) => {
      const node = await real(env);
      return {
        ...node,
        input(input) {
          try {
            Date.now();
          } catch {
            // Some library may do the same.
          }
          node.input(input);
        },
      };
    });
    expect(found).toEqual(['tripwire']);
  });

  test('whose answers are wrong, unless nobody asks', async () => {
    const liar: (real: NodeFactory) => NodeFactory = (real) => async (env) => {
      const node = await real(env);
      const hash = (): Uint8Array => new Uint8Array(32);
      return { ...node, rpc: node.rpc && { ...node.rpc, suite: { ...node.rpc.suite, keccak256: hash } } };
    };
    expect(await complaints(liar)).not.toEqual([]);
    expect(await complaints(liar, `${SCENARIO}expect: [{off: answers}]\n`)).toEqual([]);
  });

  test('that holds more than the scenario allows', async () => {
    const bounded = SCENARIO.replace(
      'until',
      'expect: [{resources: {node: v1, store_entries_max: 3}}]\nuntil',
    );
    const result = await runScenario(bounded, { crypto: 'keyed-hash' });
    if (!result.ok) throw new Error(result.error.message);
    expect(result.value.failures.map(({ checker, message }) => `${checker}: ${message}`)).toEqual([
      expect.stringMatching(/^resources: v1 has store_entries \d+, should have at most 3$/),
    ]);
  });

  test('that drops its honest peers', async () => {
    const found = await complaints((real) => (env) => {
      let dropped = false;
      return real({
        ...env,
        perform(effect) {
          if (!dropped && effect.kind === 'send') env.perform({ kind: 'drop', peer: 'v2', reason: 'a whim' });
          dropped ||= effect.kind === 'send';
          env.perform(effect);
        },
      });
    });
    expect(found).toEqual(['no_framing']);
  });
});

describe('the checkers of signatures', () => {
  const block = (byte: number): BlockId => ({
    hash: new Uint8Array(32).fill(byte),
    parts: { total: 1, hash: new Uint8Array(32).fill(byte) },
  });

  /** What a checker says when one node signs these votes; `polkas` are those it knows of, by round. */
  function verdicts(
    make: (context: CheckerContext) => { on?(fact: Fact): void },
    votes: readonly (readonly [
      kind: 'prevote' | 'precommit',
      round: number,
      blockId: BlockId,
      height?: number,
    ])[],
    polkas: Readonly<Record<number, BlockId>> = {},
  ): readonly string[] {
    const said: string[] = [];
    const context = {
      scenario: { timeline: [{ action: { kind: 'wipe' } }] },
      fail: (_: string, message: string) => said.push(message),
    } as unknown as CheckerContext;
    const rs = { votes: (round: number) => ({ majority: () => polkas[round] }) };
    const node = { name: 'v0', isCorrect: true, disk: { hasForgotten: false }, node: { rs: () => rs } };
    const checker = make(context);
    for (const [kind, round, blockId, height = 5] of votes) {
      const timestamp = { seconds: 1, nanos: 0 };
      const bytes = voteSignBytes('x', { type: kind, height, round, blockId, timestamp });
      const ask: SignAsk = { kind, height, round, bytes };
      const signed = { signature: new Uint8Array(64), bytes };
      checker.on?.({ kind: 'signed', node, ask, signed } as unknown as Fact);
    }
    return said;
  }

  test('see two different votes of one kind in one round, and nothing wrong in the same vote twice', () => {
    expect(
      verdicts(noSelfEquivocation, [
        ['prevote', 0, block(1)],
        ['prevote', 0, block(2)],
      ]),
    ).toHaveLength(1);
    expect(
      verdicts(noSelfEquivocation, [
        ['prevote', 0, block(1)],
        ['prevote', 0, ZERO_BLOCK_ID],
      ]),
    ).toHaveLength(1);
    expect(
      verdicts(noSelfEquivocation, [
        ['prevote', 0, block(1)],
        ['prevote', 0, block(1)],
      ]),
    ).toEqual([]);
    expect(
      verdicts(noSelfEquivocation, [
        ['prevote', 0, block(1)],
        ['precommit', 0, block(2)],
      ]),
    ).toEqual([]);
  });

  test('see what a node with a new disk signs again, however far it had been before', () => {
    const before = Array.from({ length: 40 }, (_, i) => ['prevote', 0, block(1), 5 + i] as const);
    expect(verdicts(noSelfEquivocation, [...before, ['prevote', 0, block(2), 5]])).toEqual([
      'v0 signed two different prevotes at 5/0',
    ]);
    expect(verdicts(noSelfEquivocation, [...before, ['prevote', 0, block(1), 5]])).toEqual([]);
  });

  test('see a node with a new disk sign again below what a peer has told it, unless it has given that peer up', () => {
    const said = (isGivenUp: boolean): readonly string[] => {
      const failures: string[] = [];
      const [v0, v1] = ['v0', 'v1'].map((name) => ({
        name,
        isCorrect: true,
        disk: { wipes: 0 },
        node: { isSyncing: () => true },
      }));
      const context = {
        scenario: { timeline: [{ action: { kind: 'wipe' } }], engine: { blockSync: true }, network: {} },
        correct: [v0, v1],
        fail: (_: string, message: string) => failures.push(message),
      } as unknown as CheckerContext;
      const checker = noSelfEquivocation(context);
      const tell = (fact: object): void => checker.on?.({ node: v0, ...fact } as unknown as Fact);
      const sign = (value: BlockId): void => {
        const timestamp = { seconds: 1, nanos: 0 };
        const bytes = voteSignBytes('x', { type: 'prevote', height: 5, round: 0, blockId: value, timestamp });
        tell({ kind: 'signed', ask: { kind: 'prevote', height: 5, round: 0, bytes }, signed: { bytes } });
      };
      sign(block(1));
      Object.assign(v0 ?? {}, { disk: { wipes: 1 } });
      tell({ kind: 'started', tornBytes: 0 });
      const status = encodeBlocksyncMessage({ kind: 'statusResponse', base: 1, height: 6 });
      tell({ kind: 'syncHeard', peer: 'v1', bytes: status });
      if (isGivenUp) tell({ kind: 'dropped', peer: 'v1', reason: 'blocksync: no block for 15 s' });
      sign(block(2));
      return failures;
    };
    expect(said(false)).toEqual(['v0 signed two different prevotes at 5/0']);
    expect(said(true)).toEqual([]);
  });

  test('see a prevote against the lock, unless a polka as new as the lock stands behind it', () => {
    const locked = ['precommit', 1, block(1)] as const;
    const own = { 1: block(1) };
    expect(verdicts(lockRule, [locked])).toEqual([
      'v0 precommitted 010101010101 at 5/1 without two thirds of prevotes for it (L36)',
    ]);
    expect(verdicts(lockRule, [locked, ['prevote', 3, block(2)]], own)).toHaveLength(1);
    expect(verdicts(lockRule, [locked, ['prevote', 3, block(2)]], { ...own, 0: block(2) })).toHaveLength(1);
    expect(verdicts(lockRule, [locked, ['prevote', 3, block(2)]], { ...own, 3: block(2) })).toHaveLength(1);
    expect(verdicts(lockRule, [locked, ['prevote', 3, block(2)]], { ...own, 2: block(2) })).toEqual([]);
    expect(verdicts(lockRule, [locked, ['prevote', 3, block(1)]], own)).toEqual([]);
    expect(verdicts(lockRule, [locked, ['prevote', 3, ZERO_BLOCK_ID]], own)).toEqual([]);
    expect(
      verdicts(lockRule, [
        ['precommit', 1, ZERO_BLOCK_ID],
        ['prevote', 3, block(2)],
      ]),
    ).toEqual([]);
  });
});
