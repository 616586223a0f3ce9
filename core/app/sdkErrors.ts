/** Error codes of codespace `sdk` for Cosmos transactions, with the text that ends their log. */
const TEXTS = {
  2: 'tx parse error',
  3: 'invalid sequence',
  4: 'unauthorized',
  5: 'insufficient funds',
  6: 'unknown request',
  7: 'invalid address',
  8: 'invalid pubkey',
  9: 'unknown address',
  10: 'invalid coins',
  11: 'out of gas',
  12: 'memo too large',
  13: 'insufficient fee',
  14: 'maximum number of signatures exceeded',
  15: 'no signatures supplied',
  18: 'invalid request',
  28: 'invalid chain-id',
  29: 'invalid type',
  30: 'tx timeout height',
  31: 'unknown extension options',
  32: 'incorrect account sequence',
  37: 'feature not supported',
  41: 'invalid gas limit',
} as const;

export type SdkCode = keyof typeof TEXTS;

/** A refusal or failure with an SDK code. `message` precedes the text of the code in the log. */
export interface SdkError {
  readonly code: 'sdk';
  readonly sdkCode: SdkCode;
  readonly message: string;
}

export const sdkError = (sdkCode: SdkCode, message: string): SdkError => ({ code: 'sdk', sdkCode, message });

export const sdkLog = ({ sdkCode, message }: SdkError): string => `${message}: ${TEXTS[sdkCode]}`;

/** Error codes of codespace `bank` by their text, which is the whole log (x/bank/types/errors.go). */
const BANK_CODES = {
  'no inputs to send transaction': 2,
  'no outputs to send transaction': 3,
  'sum inputs != sum outputs': 4,
  'multiple senders not allowed': 9,
} as const;

/** An error of the SDK's bank module. */
export interface BankError {
  readonly code: 'bank';
  readonly message: keyof typeof BANK_CODES;
}

export const bankError = (message: BankError['message']): BankError => ({ code: 'bank', message });

export const bankCode = ({ message }: BankError): number => BANK_CODES[message];
