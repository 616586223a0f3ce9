/** chain.types.v1.EthAccount: one account as the Cosmos side sees it (reference §1.1, §1.7). */
import { formatAddress } from '../../address/kinds.ts';
import type { View } from '../../app/chain.ts';
import { PUB_KEY } from '../../app/cosmos/tables.ts';
import type { Any } from '../../app/tx/tables.ts';
import { TYPE_URL } from '../../app/typeUrls.ts';
import { decode, encode } from '../../codec/proto.ts';
import { keccak256 } from '../../crypto/hash.ts';
import { toBase64 } from '../../lib/base64.ts';
import { type Bytes, EMPTY, to0xHex } from '../../lib/bytes.ts';
import type { Result } from '../../lib/result.ts';
import { ETH_ACCOUNT, type EthAccount } from './accountTables.ts';

/** Hash of no code: what an account without a contract has. */
const EMPTY_CODE_HASH = keccak256(EMPTY);

/** The account of an address at a view, undefined when neither world knows it: sequence is the Ethereum nonce. */
export function ethAccountOf(view: View, address: Bytes, hrp: string): EthAccount | undefined {
  const state = view.account(address);
  const auth = view.auth(address);
  if (state === undefined && auth === undefined) return undefined;
  const key = auth?.pubKey;
  const pubKey =
    key === undefined ? undefined : { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key }) };
  return {
    baseAccount: {
      address: formatAddress('acc', hrp, address),
      pubKey,
      accountNumber: auth?.accountNumber ?? 0n,
      sequence: state?.nonce ?? 0n,
    },
    codeHash: to0xHex(state?.codeHash ?? EMPTY_CODE_HASH),
  };
}

export const ethAccountAny = (account: EthAccount): Any => ({
  typeUrl: TYPE_URL.ethAccount,
  value: encode(ETH_ACCOUNT, account),
});

export const decodeEthAccount = (value: Bytes): Result<EthAccount, unknown> => decode(ETH_ACCOUNT, value);

/** Base64 of the key inside its Any, or undefined when it is of another type. */
function keyText(any: Any): string | undefined {
  const key = any.typeUrl === TYPE_URL.ethPubKey ? decode(PUB_KEY, any.value) : undefined;
  return key?.ok === true ? toBase64(key.value.key) : undefined;
}

/** Proto JSON in field order, `@type` first. */
export function ethAccountJson({ baseAccount, codeHash }: EthAccount) {
  const key = baseAccount?.pubKey;
  const pubKey =
    key === undefined ? null : { '@type': key.typeUrl, key: keyText(key) ?? toBase64(key.value) };
  return {
    '@type': TYPE_URL.ethAccount,
    base_account:
      baseAccount === undefined
        ? null
        : {
            address: baseAccount.address,
            pub_key: pubKey,
            account_number: baseAccount.accountNumber.toString(),
            sequence: baseAccount.sequence.toString(),
          },
    code_hash: codeHash,
  };
}

/** One line of JSON, as `q auth account --output json` prints it. */
export const renderEthAccountJson = (account: EthAccount): string => JSON.stringify(ethAccountJson(account));

/** YAML with sorted keys at every level and numbers kept as texts, as `q auth account` prints it; ends with a newline. */
export const renderEthAccountYaml = (account: EthAccount): string => renderYaml(ethAccountJson(account), '');

type Tree = { readonly [key: string]: string | null | Tree };

function renderYaml(tree: Tree, indent: string): string {
  const keys = Object.keys(tree).sort();
  return keys
    .map((key) => `${indent}${yamlText(key)}:${yamlValue(tree[key] as Tree[string], indent)}`)
    .join('');
}

function yamlValue(value: Tree[string], indent: string): string {
  if (value === null) return ' null\n';
  return typeof value === 'string' ? ` ${yamlText(value)}\n` : `\n${renderYaml(value, `${indent}  `)}`;
}

/** Quotes what YAML would not read back as the same text: a number in double quotes, a leading @ in single ones. */
function yamlText(text: string): string {
  if (/^[0-9]+$/.test(text)) return `"${text}"`;
  return text.startsWith('@') ? `'${text}'` : text;
}
