import { expect, test } from 'vitest';
import { formatAddress } from '../../../../core/address/kinds.ts';
import {
  CREATE_VALIDATOR_URL,
  decimalDigits,
  decimalText,
  type GenTxFacts,
  genTxParts,
  genTxSignBytes,
  MSG_CREATE_VALIDATOR,
  readGenTx,
} from '../../../../core/app/cosmos/genTx.ts';
import { AUTH_INFO, TX_BODY, type TxRaw } from '../../../../core/app/tx/tables.ts';
import { decode, encode } from '../../../../core/codec/proto.ts';
import { ethAddress } from '../../../../core/crypto/addresses.ts';
import { nobleSuite } from '../../../../core/crypto/noble.ts';
import { toHex } from '../../../../core/lib/bytes.ts';
import { must } from '../support/chain.ts';
import { SECRETS } from '../support/cosmosTx.ts';

const [SECRET, OTHER] = SECRETS;
const CHAIN = { chainId: 'chain_9000-1', hrp: 'chain' };
const keyOf = (secret: Uint8Array) => nobleSuite.secp256k1PublicKey(secret, true);
const operator = { address: ethAddress(keyOf(SECRET)), publicKey: keyOf(SECRET) };
const FACTS: GenTxFacts = {
  operator,
  consensusKey: new Uint8Array(32).fill(5),
  amount: { denom: 'achain', amount: '1000' },
  description: { moniker: 'one', identity: 'i', website: 'w', securityContact: 's', details: 'd' },
  commission: { rate: '1', maxRate: '2', maxChangeRate: '3' },
  minSelfDelegation: '1',
  memo: 'id@host:26656',
  gasLimit: 200_000n,
  fee: [{ denom: 'achain', amount: '9' }],
};

type Parts = Omit<TxRaw, 'signatures'>;
function signed(parts: Parts, { secret = SECRET, chainId = CHAIN.chainId } = {}): TxRaw {
  const digest = nobleSuite.keccak256(genTxSignBytes(parts, chainId));
  return { ...parts, signatures: [nobleSuite.secp256k1Sign(secret, digest).rs] };
}
const made = (facts: Partial<GenTxFacts> = {}): Parts => genTxParts({ ...FACTS, ...facts }, CHAIN.hrp);

function read(raw: TxRaw): unknown {
  const claim = readGenTx(raw, CHAIN, nobleSuite, ethAddress);
  return claim.ok ? claim.value : claim.error.message;
}

/** The body with its one message changed. */
function changed(change: (body: Record<string, unknown>) => object): Parts {
  const parts = made();
  const body = must(decode(TX_BODY, parts.bodyBytes));
  return { ...parts, bodyBytes: encode(TX_BODY, { ...body, ...change(body as never) } as typeof body) };
}

test('what one validator says, the others read', () => {
  expect(read(signed(made()))).toEqual({
    operator: operator.address,
    consensusKey: FACTS.consensusKey,
    moniker: 'one',
    amount: FACTS.amount,
    memo: FACTS.memo,
  });
  const [any] = must(decode(TX_BODY, made().bodyBytes)).messages;
  expect(any?.typeUrl).toBe(CREATE_VALIDATOR_URL);
  const message = must(decode(MSG_CREATE_VALIDATOR, any?.value ?? new Uint8Array()));
  expect(message).toMatchObject({
    description: FACTS.description,
    commission: FACTS.commission,
    minSelfDelegation: '1',
    delegatorAddress: formatAddress('acc', 'chain', operator.address),
    validatorAddress: formatAddress('val', 'chain', operator.address),
    value: FACTS.amount,
  });
  expect(must(decode(AUTH_INFO, made().authInfoBytes)).fee).toEqual({
    amount: FACTS.fee,
    gasLimit: 200_000n,
    payer: '',
    granter: '',
  });
});

/** The first bytes of the SDK's SignDoc: account number and sequence 0 leave nothing behind the chain id. */
test('it is signed as the first transaction of account 0', () => {
  const parts = made();
  const text = toHex(genTxSignBytes(parts, 'chain_9000-1'));
  expect(text.endsWith(`1a0c${toHex(new TextEncoder().encode('chain_9000-1'))}`)).toBe(true);
  expect(text).toContain(toHex(parts.bodyBytes));
});

const unsigned = (parts: Parts): TxRaw => ({ ...parts, signatures: [] });
const mismatch =
  'signature verification failed; please verify account number (0), sequence (0) and chain-id (chain_9000-1)';
test.each<readonly [string, () => TxRaw, string]>([
  ['of another chain', () => signed(made(), { chainId: 'chain_9000-2' }), mismatch],
  ['signed by another key', () => signed(made(), { secret: OTHER }), mismatch],
  ['unsigned', () => unsigned(made()), 'no signatures supplied'],
  [
    'signed twice',
    () => {
      const { signatures, ...parts } = signed(made());
      return { ...parts, signatures: [...signatures, ...signatures] };
    },
    'no signatures supplied',
  ],
  [
    'cut short',
    () => {
      const { signatures, ...parts } = signed(made());
      return { ...parts, signatures: signatures.map((one) => one.slice(0, 63)) };
    },
    mismatch,
  ],
  [
    "of an operator with another's key",
    () => signed(made({ operator: { ...operator, publicKey: keyOf(OTHER) } }), { secret: OTHER }),
    'pubKey does not match signer address',
  ],
  [
    'with two messages',
    () => signed(changed(({ messages }) => ({ messages: [messages, messages].flat() }))),
    'must provide genesis transaction with exactly 1 message, found 2',
  ],
  [
    'with none',
    () => signed(changed(() => ({ messages: [] }))),
    'must provide genesis transaction with exactly 1 message, found 0',
  ],
  [
    'with another message',
    () => signed(changed(() => ({ messages: [{ typeUrl: '/a.B', value: new Uint8Array() }] }))),
    `expected ${CREATE_VALIDATOR_URL}, found /a.B`,
  ],
  [
    'that delegates nothing',
    () => signed(made({ amount: { denom: 'achain', amount: '0' } })),
    'invalid delegation amount',
  ],
  [
    'that delegates no number',
    () => signed(made({ amount: { denom: 'achain', amount: '-1' } })),
    'invalid delegation amount',
  ],
  [
    'of nobody',
    () => signed(made({ description: { ...FACTS.description, moniker: '' } })),
    'empty description',
  ],
  [
    'with a short consensus key',
    () => signed(made({ consensusKey: new Uint8Array(31) })),
    'consensus key: expected 32 bytes of /cosmos.crypto.ed25519.PubKey',
  ],
])('one %s is refused', (_, make, message) => {
  expect(read(make())).toBe(message);
});

test.each([
  ['0.1', '100000000000000000'],
  ['1', '1000000000000000000'],
  ['0.000000000000000001', '1'],
  ['12.5', '12500000000000000000'],
  ['0', '0'],
])('%s has 18 places', (text, digits) => {
  expect(decimalDigits(text)).toBe(digits);
  const [whole, fraction = ''] = text.split('.');
  expect(decimalText(digits)).toBe(`${whole}.${fraction.padEnd(18, '0')}`);
});

test.each(['', '.5', '1.', '-1', '1e3', '0.1234567890123456789', '0x1'])('%j is no fraction', (text) => {
  expect(decimalDigits(text)).toBeUndefined();
});
