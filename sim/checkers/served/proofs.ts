import { decode, type Shape } from '../../../core/codec/proto.ts';
import { TRIE_OP, VALUE_OP } from '../../../core/codec/stateProof.ts';
import type { CryptoSuite } from '../../../core/crypto/suite.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, EMPTY, equalBytes, toHex } from '../../../core/lib/bytes.ts';
import { encodeUtf8 } from '../../../core/lib/utf8.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { mapLeaf, rootAbove } from '../../reference/merkle.ts';
import { itemsOf, proven } from '../../reference/trieProof.ts';
import { bytesOf, comet, fieldsOf, heightsOf, listOf, rest, someOf, unlike } from '../questions.ts';

/** Index of the state root in an Ethereum header. */
const STATE_ROOT = 3;
const STRANGER = new Uint8Array(20).fill(0x5e);

/** abci_info is right, and each proof of an older state leads to the app hash in the next header. */
export async function wrongProofs(rpc: RpcContext, suite: CryptoSuite): Promise<string | undefined> {
  const { chain } = rpc;
  const head = chain.head();
  const info = fieldsOf(await comet(rpc, 'abci_info', {}), 'response');
  const appHash = toBase64(present(chain.results(head), 'results of the head').appHash);
  const wrong =
    unlike('the height in abci_info', info['last_block_height'], String(head)) ??
    unlike('the app hash in abci_info', info['last_block_app_hash'], appHash);
  if (wrong !== undefined) return wrong;
  for (const height of someOf(heightsOf(chain).slice(0, -1))) {
    if (chain.view(height) === undefined) continue;
    const { proposerAddress } = present(chain.block(height), 'a kept block').header;
    for (const [store, keys] of [
      ['modules', ['auth/next', `bank/supply/${chain.denom}`, 'nobody/nothing'].map(encodeUtf8)],
      ['ethereum', [proposerAddress, STRANGER]],
    ] as const)
      for (const key of keys) {
        const problem = await wrongProof(rpc, suite, { height, store, key });
        if (problem !== undefined)
          return `answers /store/${store}/key of ${toHex(key)} at ${height} with ${problem}`;
      }
  }
  return undefined;
}

interface Entry {
  readonly height: number;
  readonly store: 'modules' | 'ethereum';
  readonly key: Bytes;
}

interface Step {
  readonly key: Bytes;
  readonly data: Bytes;
}

async function wrongProof(rpc: RpcContext, suite: CryptoSuite, entry: Entry): Promise<string | undefined> {
  const { height, store, key } = entry;
  const asked = { path: `/store/${store}/key`, data: toHex(key), height: String(height), prove: true };
  const told = fieldsOf(await comet(rpc, 'abci_query', asked), 'response');
  if (told['code'] !== 0 || told['height'] !== String(height))
    return `code ${told['code']}, for ${told['height']}`;
  const steps = listOf(fieldsOf(told, 'proofOps'), 'ops').map((step) => ({
    key: bytesOf(step['key']),
    data: bytesOf(step['data']),
  }));
  const shown = shownBy(steps, entry, suite);
  if (shown === undefined) return 'a proof that shows nothing';
  if (!equalBytes(shown.value, bytesOf(told['value']))) return 'another value than it proves';
  const { appHash } = present(rpc.chain.block(height + 1), 'the next block').header;
  if (!equalBytes(shown.root, appHash)) return 'a proof that does not lead to the next header';
  return wrongService(rpc, entry, told);
}

const SERVICE = '/cosmos/base/tendermint/v1beta1/abci_query';

/** What both answers have under the same names. */
const ALIKE = ['code', 'log', 'info', 'index', 'key', 'value', 'height', 'codespace'] as const;

/** The service of the same name answers the same. */
async function wrongService(
  rpc: RpcContext,
  { height, store, key }: Entry,
  told: Fields,
): Promise<string | undefined> {
  const data = encodeURIComponent(toBase64(key));
  const query = `path=/store/${store}/key&data=${data}&height=${height}&prove=true`;
  const shown = await rest(rpc, SERVICE, query);
  const rowOf = (answer: Fields, proof: string): unknown => [
    ...ALIKE.map((name) => answer[name]),
    listOf(fieldsOf(answer, proof), 'ops').map(({ type, key: at, data: step }) => [
      type,
      ...[at, step].map(bytesOf).map(toHex),
    ]),
  ];
  return (
    unlike(SERVICE, rowOf(shown, 'proof_ops'), rowOf(told, 'proofOps')) && `something else than ${SERVICE}`
  );
}

function read<T>(shape: Shape<T>, bytes: Bytes | undefined): T | undefined {
  const result = decode(shape, bytes ?? EMPTY);
  return result.ok ? result.value : undefined;
}

/** Follows the proof from an entry up its trie (an account's on through the Ethereum header) to the app hash. */
function shownBy(
  steps: readonly Step[],
  { store, key }: Entry,
  { keccak256, sha256 }: CryptoSuite,
): { readonly value: Bytes; readonly root: Bytes } | undefined {
  const isEth = store === 'ethereum';
  if (steps.length !== (isEth ? 3 : 2) || !equalBytes(steps[0]?.key ?? EMPTY, key)) return undefined;
  const nodes = read(TRIE_OP, steps[0]?.data)?.nodes ?? [];
  const header = isEth ? steps[1]?.data : undefined;
  const top = keccak256(nodes[0] ?? Uint8Array.of(0x80));
  const stateRoot = header === undefined ? top : itemsOf(header)[STATE_ROOT]?.content;
  const shown = proven(stateRoot ?? EMPTY, isEth ? keccak256(key) : key, nodes, keccak256);
  const last = read(VALUE_OP, steps.at(-1)?.data);
  if (shown === undefined || last === undefined || !equalBytes(last.key, encodeUtf8(store))) return undefined;
  const part = header === undefined ? top : keccak256(header);
  const root = rootAbove(mapLeaf(last.key, part, sha256), last.proof, sha256);
  return root && { value: shown.value ?? EMPTY, root };
}
