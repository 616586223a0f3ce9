import { expect, test } from 'vitest';
import { type AdmissionError, renderError } from '../../../core/app/errors.ts';
import { bankError } from '../../../core/app/sdkErrors.ts';
import { hex } from '../../../core/lib/bytes.ts';

const ADDRESS = hex('f39fd6e51aad88f6f4ce6ab8827279cfffb92266');
const OTHER = hex('70997970c51812dc3a010c7d01b50e0d17dc79c8');
const [DEV, NEXT] = [
  '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
];
const UNSIGNED = 'tx intended signer does not match the given signer';

type Row = readonly [error: AdmissionError, code: number, log: string, ethMessage?: string];
/** Each with the SDK's code, its log, and what geth says; the last is left out where it is the log's beginning. */
const TABLE: readonly Row[] = [
  [{ code: 'tx-parse', message: 'odd' }, 2, 'odd: tx parse error'],
  [{ code: 'tx-structure', message: 'odd' }, 18, 'odd: invalid request'],
  [
    { code: 'unknown-extension', typeUrl: '/a.B' },
    31,
    'rejecting tx with unsupported extension option: /a.B: unknown extension options',
  ],
  [{ code: 'unknown-message', typeUrl: '/a.B' }, 6, 'unrecognized message: /a.B: unknown request'],
  [
    { code: 'missing-extension' },
    29,
    "MsgEthereumTx needs to be contained within a tx with 'ExtensionOptionsEthereumTx' option: invalid type",
  ],
  [
    { code: 'fee-mismatch', have: '1a', want: '2a' },
    18,
    'invalid AuthInfo Fee Amount (1a != 2a): invalid request',
  ],
  [
    { code: 'gas-mismatch', have: 1n, want: 2n },
    18,
    'invalid AuthInfo Fee GasLimit (1 != 2): invalid request',
  ],
  [
    { code: 'sender-mismatch', have: ADDRESS, want: OTHER },
    24,
    `signature verification failed: from ${DEV} is not the signer ${NEXT}: ${UNSIGNED}`,
    'invalid sender',
  ],
  [{ code: 'rlp', message: 'rlp: odd' }, 2, 'rlp: odd: tx parse error'],
  [{ code: 'tx-too-short' }, 2, 'typed transaction too short: tx parse error'],
  [{ code: 'tx-type' }, 18, 'transaction type not supported: invalid request'],
  [
    { code: 'oversized', size: 7, limit: 5 },
    18,
    'oversized data: transaction size 7, limit 5: invalid request',
  ],
  [
    { code: 'init-code', size: 7, limit: 5 },
    18,
    'max initcode size exceeded: code size 7, limit 5: invalid request',
  ],
  [
    { code: 'signature' },
    24,
    `signature verification failed: invalid transaction v, r, s values: ${UNSIGNED}`,
    'invalid sender: invalid transaction v, r, s values',
  ],
  [
    { code: 'chain-id', have: 1n, want: 2n },
    28,
    'incorrect chain-id; expected 2, got 1: invalid chain-id',
    'invalid sender: invalid chain id for signer: have 1 want 2',
  ],
  [
    { code: 'tip-above-cap', tip: 2n, cap: 1n },
    18,
    'max priority fee per gas higher than max fee per gas: invalid request',
  ],
  [
    { code: 'auth-list-empty' },
    18,
    'set code tx must have at least one authorization tuple: invalid request',
  ],
  [
    { code: 'intrinsic-gas', gas: 1n, needed: 2n },
    11,
    'intrinsic gas too low: gas 1, minimum needed 2: out of gas',
  ],
  [
    { code: 'floor-gas', gas: 1n, needed: 2n },
    11,
    'insufficient gas for floor data gas cost: gas 1, minimum needed 2: out of gas',
  ],
  [
    { code: 'tx-gas-cap', gas: 2n, cap: 1n },
    11,
    'transaction gas limit too high (cap: 1, tx: 2): out of gas',
  ],
  [
    { code: 'block-gas-limit', gas: 2n, limit: 1n },
    11,
    'tx gas (2) exceeds block gas limit (1): out of gas',
    'exceeds block gas limit',
  ],
  [
    { code: 'block-gas-left', gas: 2n, left: 1n },
    11,
    'out of gas in location: block gas meter; gasWanted: 2, gasLeft: 1: out of gas',
    'gas limit reached',
  ],
  [
    { code: 'nonce-max', address: ADDRESS, nonce: 9n },
    3,
    `nonce has max value: address ${DEV}, nonce: 9: invalid sequence`,
  ],
  [
    { code: 'nonce-too-low', address: ADDRESS, tx: 1n, state: 2n },
    3,
    'invalid nonce; got 1, expected 2: invalid sequence',
    'nonce too low: next nonce 2, tx nonce 1',
  ],
  [
    { code: 'nonce-too-high', address: ADDRESS, tx: 3n, state: 2n },
    3,
    'invalid nonce; got 3, expected 2: invalid sequence',
    `nonce too high: address ${DEV}, tx: 3 state: 2`,
  ],
  [
    { code: 'sender-not-eoa', address: ADDRESS, codeHash: hex('0102') },
    29,
    `the sender is not EOA: address ${DEV}: invalid type`,
    `sender not an eoa: address ${DEV}, codehash: 0x0102`,
  ],
  [
    { code: 'insufficient-funds', balance: 3n, cost: 10n },
    5,
    'failed to check sender balance: sender balance < tx cost (3 < 10): insufficient funds',
    'insufficient funds for gas * price + value: balance 3, tx cost 10, overshot 7',
  ],
  [
    { code: 'fee-cap-below-base', address: ADDRESS, cap: 1n, baseFee: 2n },
    13,
    'max fee per gas less than block base fee (1 < 2): insufficient fee',
    `max fee per gas less than block base fee: address ${DEV}, maxFeePerGas: 1, baseFee: 2`,
  ],
  [
    { code: 'underpriced', price: 1n, minimum: 2n },
    13,
    'provided fee < minimum global fee (1 < 2). Please increase the priority tip (for EIP-1559 txs) or the gas prices (for access list or legacy txs): insufficient fee',
    'transaction underpriced: gas fee cap 1, minimum needed 2',
  ],
  [{ code: 'sdk', sdkCode: 32, message: 'odd' }, 32, 'odd: incorrect account sequence', 'odd'],
];

test.each(TABLE.map((row) => [row[0].code, row] as const))(
  '%s has the code of the SDK and the words of both',
  (_, row) => {
    const [error, code, log, ethMessage = log.slice(0, log.lastIndexOf(': '))] = row;
    expect(renderError(error)).toEqual({ codespace: 'sdk', code, log, ethMessage });
  },
);

/** types/errors/errors.go of the Cosmos SDK. */
test.each([
  [2, 'tx parse error'],
  [3, 'invalid sequence'],
  [4, 'unauthorized'],
  [5, 'insufficient funds'],
  [6, 'unknown request'],
  [7, 'invalid address'],
  [8, 'invalid pubkey'],
  [9, 'unknown address'],
  [10, 'invalid coins'],
  [11, 'out of gas'],
  [12, 'memo too large'],
  [13, 'insufficient fee'],
  [14, 'maximum number of signatures exceeded'],
  [15, 'no signatures supplied'],
  [18, 'invalid request'],
  [28, 'invalid chain-id'],
  [29, 'invalid type'],
  [30, 'tx timeout height'],
  [31, 'unknown extension options'],
  [32, 'incorrect account sequence'],
  [37, 'feature not supported'],
  [41, 'invalid gas limit'],
] as const)('code %i of the SDK is called %s', (sdkCode, words) => {
  const { code, log } = renderError({ code: 'sdk', sdkCode, message: 'odd' });
  expect([code, log]).toEqual([sdkCode, `odd: ${words}`]);
});

/** x/bank/types/errors.go of the Cosmos SDK. */
test.each([
  [2, 'no inputs to send transaction'],
  [3, 'no outputs to send transaction'],
  [4, 'sum inputs != sum outputs'],
  [9, 'multiple senders not allowed'],
] as const)('code %i of the bank is %s', (code, text) => {
  expect(renderError(bankError(text))).toEqual({ codespace: 'bank', code, log: text, ethMessage: text });
});
