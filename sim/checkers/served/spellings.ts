import { toBase64 } from '../../../core/lib/base64.ts';
import { hex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import { Spelling } from '../../reference/spelling.ts';
import type { Keccak } from '../../reference/trieRoot.ts';
import { rest, unlike } from '../questions.ts';

const FACE = '/chain/evm/v1/cosmos_account';
const BYTES = '/cosmos/auth/v1beta1/bech32';
const METADATA = '/cosmos/bank/v1beta1/denoms_metadata';
/** gRPC's InvalidArgument. */
const INVALID = 3;
/** An address with many letters, whose case can vary. */
const SOMEBODY = 'abcdef0123fedcba9876abcdef0123fedcba9876';
const STRANGER = '5e'.repeat(20);
const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l';
/** Characters of a Bech32 checksum. */
const CHECKSUM = 6;
/** A denom without metadata. Its slash also separates path segments. */
const DENOM = 'ibc/27394FB092D2ECCD';

/** Every valid spelling of an address leads to the same account, and a misspelled one to none. */
export async function wrongSpellings(rpc: RpcContext, keccak: Keccak): Promise<string | undefined> {
  const spelling = new Spelling(rpc.chain, keccak);
  const [text, checked] = [spelling.account(SOMEBODY), spelling.mixed(SOMEBODY)];
  for (const name of [text, text.toUpperCase(), SOMEBODY, `0x${SOMEBODY.toUpperCase()}`, checked]) {
    const { cosmos_address } = await rest(rpc, `${FACE}/${name}`);
    const problem = unlike(`who ${name} is`, cosmos_address, text);
    if (problem !== undefined) return problem;
  }
  for (const name of [...misspelled(text), ...flipped(checked)]) {
    const { code } = await rest(rpc, `${FACE}/${name}`);
    const problem = unlike(`who ${name} is, which is misspelled,`, code, INVALID);
    if (problem !== undefined) return problem;
  }
  return wrongPaths(rpc, text, spelling.account(STRANGER));
}

const replaced = (text: string, at: number, by: (letter: string) => string): string =>
  text.slice(0, at) + by(text[at] ?? '') + text.slice(at + 1);

/** Each checksum character replaced, one letter in another case, and one letter too few. */
function misspelled(text: string): readonly string[] {
  const next = (letter: string): string => BECH32_LETTERS[(BECH32_LETTERS.indexOf(letter) + 1) % 32] ?? '';
  const ends = Array.from({ length: CHECKSUM }, (_, i) => replaced(text, text.length - 1 - i, next));
  return [...ends, replaced(text, 0, (letter) => letter.toUpperCase()), text.slice(0, -1)];
}

const flipped = (text: string): readonly string[] =>
  [...text.matchAll(/[a-f]/gi)]
    .slice(0, CHECKSUM)
    .map(({ index }) =>
      replaced(text, index, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      ),
    );

/** The path decides, whatever the query says. Base64 there needs no padding, and a denom may contain a slash. */
async function wrongPaths(rpc: RpcContext, text: string, other: string): Promise<string | undefined> {
  const beside = await rest(rpc, `${FACE}/${text}`, `address=${other}`);
  const unfilled = toBase64(hex(SOMEBODY)).replaceAll('=', '').replaceAll('+', '-').replaceAll('/', '_');
  const shown = await rest(rpc, `${BYTES}/${unfilled}`);
  const named = await rest(rpc, `${METADATA}/${DENOM}`);
  const escaped = await rest(rpc, `${METADATA}/${encodeURIComponent(DENOM)}`);
  return (
    unlike('who stands in a path beside another', beside['cosmos_address'], text) ??
    unlike('the text of bytes that are not filled up', shown['address_string'], text) ??
    unlike(`whether ${DENOM} is named`, String(named['message']).includes(DENOM), true) ??
    unlike(`${DENOM} without its mark`, escaped, named)
  );
}
