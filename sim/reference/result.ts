import { equalBytes, to0xHex } from '../../core/lib/bytes.ts';
import type { AbciEvent, TxResult } from '../../core/types/result.ts';
import type { Spelling } from './spelling.ts';
import type { Name } from './state.ts';

/** Every attribute is to be indexed. */
export const event = (type: string, ...attributes: readonly (readonly [string, string])[]): AbciEvent => ({
  type,
  attributes: attributes.map(([key, value]) => ({ key, value, index: true })),
});

/** Events of coins received; both have the attributes `more`. */
export function paymentEvents(
  { from, to }: { readonly from: Name; readonly to: Name },
  amount: string,
  spelling: Spelling,
  more: readonly (readonly [string, string])[] = [],
): readonly AbciEvent[] {
  const [sender, receiver] = [spelling.account(from), spelling.account(to)];
  return [
    event('coin_received', ['receiver', receiver], ['amount', amount], ...more),
    event('transfer', ['recipient', receiver], ['sender', sender], ['amount', amount], ...more),
  ];
}

const shown = ({ type, attributes }: AbciEvent): string =>
  `${type} ${JSON.stringify(attributes.map(({ key, value, index }) => [key, value, index]))}`;

function isSame(one: AbciEvent | undefined, other: AbciEvent | undefined): boolean {
  if (one === undefined || other === undefined || one.type !== other.type) return false;
  if (one.attributes.length !== other.attributes.length) return false;
  return one.attributes.every(({ key, value, index }, i) => {
    const also = other.attributes[i];
    return also?.key === key && also.value === value && also.index === index;
  });
}

/** The first event that differs. */
export function eventsProblem(told: readonly AbciEvent[], wanted: readonly AbciEvent[]): string | undefined {
  const count = Math.max(told.length, wanted.length);
  for (let i = 0; i < count; i++) {
    if (isSame(told[i], wanted[i])) continue;
    const [is, should] = [told[i], wanted[i]].map((one) => (one === undefined ? 'nothing' : shown(one)));
    if (is !== should) return `tells as event ${i} ${is}, should tell ${should}`;
  }
  return undefined;
}

/** Where a result differs. */
export function resultProblem(told: TxResult, wanted: TxResult): string | undefined {
  for (const key of ['code', 'codespace', 'log', 'info', 'gasWanted', 'gasUsed'] as const)
    if (told[key] !== wanted[key]) return `has ${key} "${told[key]}", should have "${wanted[key]}"`;
  if (!equalBytes(told.data, wanted.data))
    return `answers ${to0xHex(told.data)}, should answer ${to0xHex(wanted.data)}`;
  return eventsProblem(told.events, wanted.events);
}
