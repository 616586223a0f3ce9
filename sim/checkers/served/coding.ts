import { TX_RAW } from '../../../core/app/tx/tables.ts';
import { decode, encode } from '../../../core/codec/proto.ts';
import { present } from '../../../core/lib/assert.ts';
import { toBase64 } from '../../../core/lib/base64.ts';
import { type Bytes, toUpperHex } from '../../../core/lib/bytes.ts';
import type { RpcContext } from '../../../core/rpc/context.ts';
import type { Fields } from '../../clients/answers/answers.ts';
import { withoutIgnored } from '../../reference/ignored.ts';
import type { Sha256 } from '../../reference/merkle.ts';
import { fieldsOf, filledHeights, posted, rest, someOf, unlike } from '../questions.ts';

const TX = '/cosmos/tx/v1beta1';

/** A transaction as wallets before protobuf wrote it, with every field. */
const coins = [{ denom: 'achain', amount: '12' }];
const STD_TX = {
  type: 'cosmos-sdk/StdTx',
  value: {
    fee: { amount: coins, gas: '200000', granter: 'chain1granter', payer: 'chain1payer' },
    memo: 'a <memo> & "more" \u00e9',
    msg: [
      {
        type: 'cosmos-sdk/MsgSend',
        value: { amount: coins, from_address: 'chain1a', to_address: 'chain1b' },
      },
      {
        type: 'cosmos-sdk/MsgMultiSend',
        value: {
          inputs: [{ address: 'chain1a', coins }],
          outputs: [
            { address: 'chain1b', coins },
            { address: 'chain1c', coins },
          ],
        },
      },
    ],
    signatures: [
      {
        pub_key: { type: 'tendermint/PubKeySecp256k1', value: toBase64(new Uint8Array(33).fill(2)) },
        signature: toBase64(new Uint8Array(64).fill(9)),
      },
    ],
    timeout_height: '77',
  },
};

const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(fields.map(([name, one]) => [name, inOrder(one)]));
};

/** Transactions keep their bytes when they are decoded and encoded again through the REST API. */
export async function wrongCoding(rpc: RpcContext, sha256: Sha256): Promise<string | undefined> {
  for (const tx of kindsOf(rpc, sha256)) {
    const problem = await wrongTx(rpc, tx, toUpperHex(sha256(tx)));
    if (problem !== undefined) return problem;
  }
  return (await wrongSearchForms(rpc)) ?? (await wrongAmino(rpc));
}

/** Some transactions of Ethereum clients and some others. All clients here encode in the canonical way. */
function kindsOf({ chain }: RpcContext, sha256: Sha256): readonly Bytes[] {
  const all = filledHeights(chain).flatMap((height) => {
    const { txs } = present(chain.block(height), 'a kept block');
    const isEth = (tx: Bytes): boolean => chain.txLocation(sha256(tx))?.ethIndex !== undefined;
    return txs.map((tx) => ({ tx, isEth: isEth(tx) }));
  });
  return [true, false].flatMap((kind) =>
    someOf(all.filter(({ isEth }) => isEth === kind)).map(({ tx }) => tx),
  );
}

async function wrongTx(rpc: RpcContext, tx: Bytes, hash: string): Promise<string | undefined> {
  const decoded = await posted(rpc, `${TX}/decode`, { tx_bytes: toBase64(tx) });
  const encoded = await posted(rpc, `${TX}/encode`, { tx: decoded['tx'] });
  const shown = await rest(rpc, `${TX}/txs/${hash}`);
  const body = fieldsOf(fieldsOf(decoded, 'tx'), 'body');
  const isOpen = ((body['messages'] ?? []) as readonly Fields[]).every((message) => !('value' in message));
  const signers = fieldsOf(fieldsOf(decoded, 'tx'), 'auth_info')['signer_infos'];
  const modes = ((signers ?? []) as readonly Fields[]).map(
    (one) => fieldsOf(fieldsOf(one, 'mode_info'), 'single')['mode'],
  );
  return (
    unlike(`whether ${hash} says how it is signed`, modes.every(isMode), true) ??
    unlike(`whether the messages of ${hash} are open`, isOpen, true) ??
    unlike(`the bytes of ${hash}, taken apart`, encoded['tx_bytes'], toBase64(knownOf(tx))) ??
    ('code' in shown ? undefined : unlike(`the parts of ${hash}`, shown['tx'], decoded['tx']))
  );
}

/** The transaction without its unknown fields, which are not shown and get lost. */
function knownOf(tx: Bytes): Bytes {
  const raw = decode(TX_RAW, tx);
  return raw.ok ? encode(TX_RAW, { ...raw.value, bodyBytes: withoutIgnored(raw.value.bodyBytes) }) : tx;
}

const isMode = (mode: unknown): boolean =>
  mode === 'SIGN_MODE_DIRECT' || mode === 'SIGN_MODE_LEGACY_AMINO_JSON';

/** Spaces of a query may be written as HTML forms write them. */
async function wrongSearchForms(rpc: RpcContext): Promise<string | undefined> {
  const asked = async (query: string) => (await rest(rpc, `${TX}/txs`, `query=${query}`))['total'];
  const plain = await asked(encodeURIComponent('tx.height > 0 AND tx.height < 1000000000000'));
  const formed = await asked('tx.height+%3E+0+AND+tx.height+%3C+1000000000000');
  return unlike('how many a search finds that is written as forms are', formed, plain);
}

/** A transaction with every field, and one with hardly any. */
async function wrongAmino(rpc: RpcContext): Promise<string | undefined> {
  const { fee, ...rest } = STD_TX.value;
  const bare = { fee: { amount: [], gas: fee.gas }, ...rest, memo: '', signatures: [] };
  return (
    (await wrongStdTx(rpc, STD_TX)) ??
    wrongStdTx(rpc, { ...STD_TX, value: { ...bare, msg: [], timeout_height: '0' } })
  );
}

async function wrongStdTx(rpc: RpcContext, tx: object): Promise<string | undefined> {
  const amino_json = JSON.stringify(tx);
  const { amino_binary } = await posted(rpc, `${TX}/encode/amino`, { amino_json });
  const told = await posted(rpc, `${TX}/decode/amino`, { amino_binary });
  const text = String(told['amino_json'] ?? 'null');
  // As Go writes a text, with fields in the order of names.
  const wanted = JSON.stringify(inOrder(tx))
    .replaceAll('<', '\\u003c')
    .replaceAll('>', '\\u003e')
    .replaceAll('&', '\\u0026');
  return unlike('a transaction of amino, taken apart', text, wanted);
}
