import { expect, test } from 'vitest';
import { publicationText } from '../../../../core/rpc/comet/eventJson.ts';
import { NO_RESULT } from '../../../../core/rpc/comet/txJson.ts';
import type { TxResult } from '../../../../core/types/result.ts';

function told(index: number, result: TxResult): unknown {
  const tx = Uint8Array.of(1);
  const data = { kind: 'Tx', height: 3, index, tx, result } as const;
  const text = publicationText({ keys: new Map(), data, position: undefined });
  return JSON.parse(`{${text}}`).data.value.TxResult;
}

test('of the result of a transaction an event says what is not zero, as Go does of a value', () => {
  expect(told(0, NO_RESULT)).toEqual({ height: '3', tx: 'AQ==', result: {} });
  const full = {
    code: 5,
    data: Uint8Array.of(2),
    log: 'l',
    info: 'i',
    gasWanted: 7n,
    gasUsed: 6n,
    events: [{ type: 'e', attributes: [] }],
    codespace: 'sdk',
  };
  expect(told(2, full)).toEqual({
    height: '3',
    index: 2,
    tx: 'AQ==',
    result: {
      code: 5,
      data: 'Ag==',
      log: 'l',
      info: 'i',
      gas_wanted: '7',
      gas_used: '6',
      events: [{ type: 'e', attributes: [] }],
      codespace: 'sdk',
    },
  });
});
