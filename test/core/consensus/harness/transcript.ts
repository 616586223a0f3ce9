/** One height as a text: every input with what the machine said to it, in order. Reviewers read protocol, not code. */
import type { ConsensusInput, ConsensusNotice } from '../../../../core/consensus/contract.ts';
import { decodeLogRecord } from '../../../../core/consensus/log.ts';
import { toHex } from '../../../../core/lib/bytes.ts';
import type { Effect } from '../../../../core/node/contract.ts';
import { type BlockId, isZeroBlockId } from '../../../../core/types/block.ts';
import type { Solo } from './solo.ts';

const named = (id: BlockId): string => (isZeroBlockId(id) ? 'nil' : toHex(id.hash).slice(0, 6));

function inputLine(input: ConsensusInput): string {
  switch (input.kind) {
    case 'proposal':
      return `proposal ${named(input.proposal.blockId)} round ${input.proposal.round} pol ${input.proposal.polRound}`;
    case 'part':
      return `part ${input.part.index}`;
    case 'vote':
      return `${input.vote.type} ${named(input.vote.blockId)} round ${input.vote.round} by v${input.vote.validatorIndex}`;
    case 'timer':
      return input.key.machine === 'consensus' ? `timer ${input.key.kind} round ${input.key.round}` : 'timer';
    default:
      return input.kind;
  }
}

function effectLine(effect: Effect): string | undefined {
  switch (effect.kind) {
    case 'persist': {
      const record = decodeLogRecord(effect.record);
      return `persist ${record.ok ? record.value.entry.kind : 'broken'}`;
    }
    case 'sign':
      return `sign ${effect.ask.kind} round ${effect.ask.round}`;
    case 'app':
      return `app ${effect.ask.kind}`;
    case 'timer':
      return effect.key.machine === 'consensus'
        ? `timer ${effect.key.kind} round ${effect.key.round} after ${effect.afterMs} ms`
        : undefined;
    case 'publish':
      if (effect.event.kind === 'round') return `publish ${effect.event.name} ${effect.event.at.step}`;
      return `publish ${effect.event.kind}`;
    case 'turnover':
      return `turnover ${effect.height}`;
    default:
      return effect.kind;
  }
}

function noticeLine(notice: ConsensusNotice): string {
  if (notice.kind === 'voteAdded')
    return `notice voteAdded ${notice.vote.type} of v${notice.vote.validatorIndex}`;
  return `notice ${notice.kind}`;
}

/** Plays the inputs one by one and writes the dialogue down; what signer and application answer is part of it. */
export function transcript(solo: Solo, inputs: readonly ConsensusInput[]): string {
  const lines: string[] = [];
  for (const input of inputs) {
    lines.push(`> ${inputLine(input)}`);
    const [effects, notices] = [solo.effects.length, solo.notices.length];
    solo.feed(input);
    for (const effect of solo.effects.slice(effects)) {
      const line = effectLine(effect);
      if (line !== undefined) lines.push(`  ${line}`);
    }
    for (const notice of solo.notices.slice(notices)) lines.push(`  ${noticeLine(notice)}`);
    const { height, round, step } = solo.rs;
    lines.push(`  = ${height}/${round}/${step}`);
  }
  return `${lines.join('\n')}\n`;
}
