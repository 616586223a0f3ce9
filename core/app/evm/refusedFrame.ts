/**
 * Calls and creations that fail before they begin: the library runs no frame for them, but geth traces a failed one.
 */
import { generateAddress, generateAddress2 } from '@ethereumjs/util';
import { type Bytes, EMPTY } from '../../lib/bytes.ts';
import type { Address } from '../../types/ids.ts';
import type { Frame, FrameKind, Step, TraceState } from '../../types/trace.ts';
import { memoryRange } from './memoryRange.ts';
import { bigintToBytes, bigintToFixed, MAX_UINT64 } from './numbers.ts';

export const KIND_OF_OPCODE: ReadonlyMap<number, FrameKind> = new Map([
  [0xf0, 'CREATE'],
  [0xf1, 'CALL'],
  [0xf2, 'CALLCODE'],
  [0xf4, 'DELEGATECALL'],
  [0xf5, 'CREATE2'],
  [0xfa, 'STATICCALL'],
]);

const DEPTH_MAX = 1024;
const STIPEND = 2300n;

export interface RefusedFrame {
  readonly frame: Frame;
  /** geth's wording. */
  readonly error: string;
}

export const addressOfWord = (word: bigint): Address => bigintToFixed(word & (2n ** 160n - 1n), 20);

interface Asked {
  readonly value: bigint;
  readonly to: Address;
  readonly gas: bigint;
  readonly input: Bytes;
}

/** EIP-150: all but one 64th of the gas can be passed to the callee. */
const handedOn = ({ gas, cost }: Step): bigint => gas - cost - (gas - cost) / 64n;

function asked(step: Step, kind: FrameKind, nonce: bigint): Asked {
  const at = (place: number): bigint => step.stack.at(-1 - place) ?? 0n;
  const input = (place: number): Bytes => memoryRange(step.memory, at(place), at(place + 1)) ?? EMPTY;
  if (kind === 'CREATE' || kind === 'CREATE2') {
    const code = input(1);
    const from = step.address;
    const to =
      kind === 'CREATE'
        ? generateAddress(from, bigintToBytes(nonce))
        : generateAddress2(from, bigintToFixed(at(3), 32), code);
    return { value: at(0), to, gas: handedOn(step), input: code };
  }
  const hasValue = kind === 'CALL' || kind === 'CALLCODE';
  const value = hasValue ? at(2) : 0n;
  const most = handedOn(step);
  const gas = (at(0) < most ? at(0) : most) + (value > 0n ? STIPEND : 0n);
  return { value, to: addressOfWord(at(1)), gas, input: input(hasValue ? 3 : 2) };
}

/** For an instruction that ended without a frame. Undefined if it is no call or creation, or was not refused. */
export function refusedFrame(step: Step, state: TraceState): RefusedFrame | undefined {
  const kind = KIND_OF_OPCODE.get(step.code);
  if (kind === undefined) return undefined;
  const account = state.account(step.address);
  const nonce = account?.nonce ?? 0n;
  const { value, to, gas, input } = asked(step, kind, nonce);
  const frame: Frame = { kind, depth: step.depth + 1, from: step.address, to, value, gas, input };
  if (step.depth > DEPTH_MAX) return { frame, error: 'max call depth exceeded' };
  if (value > (account?.balance ?? 0n)) return { frame, error: 'insufficient balance for transfer' };
  const isCreate = kind === 'CREATE' || kind === 'CREATE2';
  return isCreate && nonce >= MAX_UINT64 ? { frame, error: 'nonce uint64 overflow' } : undefined;
}
