import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { parseCoins } from '../../core/app/cosmos/coins.ts';
import { directSignBytes } from '../../core/app/cosmos/signBytes.ts';
import { MSG_SEND, PUB_KEY, SIGN_MODE } from '../../core/app/cosmos/tables.ts';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import { TX_BODY } from '../../core/app/tx/tables.ts';
import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { decode, encode, type Table } from '../../core/codec/proto.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { fromBase64, toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, EMPTY, parseHex } from '../../core/lib/bytes.ts';
import { fromProtoJson, protoJson } from '../../core/rpc/cosmos/protoJson.ts';
import { GrpcError } from '../../core/rpc/cosmos/status.ts';
import { FULL_AUTH_INFO, FULL_TX, type FullTx } from '../../core/rpc/cosmos/txTables.ts';
import { onFile } from '../disk/files.ts';
import type { KeyInfo } from '../keyring/keyring.ts';
import { OperatingError } from '../operatingError.ts';
import { type KeysOptions, type Open, openFor, valueOrThrow } from './keysOpen.ts';
import { ask, isYes } from './prompt.ts';
import { RestClient, type RestOptions } from './restClient.ts';
import type { World } from './world.ts';

interface TxOptions extends RestOptions, KeysOptions {
  readonly from?: string;
  readonly chainId?: string;
  readonly gas: string;
  readonly gasAdjustment: string;
  readonly gasPrices?: string;
  readonly fees?: string;
  readonly note: string;
  readonly broadcastMode: string;
  readonly yes?: boolean;
  readonly generateOnly?: boolean;
  readonly dryRun?: boolean;
}

const TX_TABLE = FULL_TX as unknown as Table<unknown>;
const GAS_DEFAULT = 200_000n;

const txJson = (tx: FullTx): unknown => protoJson(TX_TABLE, tx);

function txFromJson(text: string): FullTx {
  try {
    return fromProtoJson(TX_TABLE, JSON.parse(text)) as unknown as FullTx;
  } catch (failure) {
    if (failure instanceof GrpcError || failure instanceof SyntaxError)
      throw new OperatingError(`not a transaction in JSON: ${failure.message}`);
    throw failure;
  }
}

const readTx = (file: string): FullTx => txFromJson(onFile('read', file, () => readFileSync(file, 'utf8')));

function coinsOf(flag: string, text: string) {
  const coins = parseCoins(text);
  if (coins === undefined) throw new OperatingError(`${flag}: expected coins like 1000achain, found ${text}`);
  return coins;
}

/** One transaction on its way: who signs, over which chain. */
class Sender {
  readonly #open: Open<TxOptions>;
  readonly #client: RestClient;
  readonly key: KeyInfo;

  constructor(open: Open<TxOptions>, client: RestClient, from: string) {
    this.#open = open;
    this.#client = client;
    const parsed = parseAnyAddress(from, open.hrp);
    const named = open.keyring.show(from);
    this.key = valueOrThrow(named.ok || !parsed.ok ? named : open.keyring.show(parsed.value.address));
  }

  get address(): string {
    return formatAddress('acc', this.#open.hrp, this.key.address);
  }

  async #account(): Promise<{ readonly accountNumber: bigint; readonly sequence: bigint }> {
    const path = `/cosmos/auth/v1beta1/account_info/${this.address}`;
    const { info } = await this.#client.get<{ info: { account_number: string; sequence: string } }>(path);
    return { accountNumber: BigInt(info.account_number), sequence: BigInt(info.sequence) };
  }

  async chainId(): Promise<string> {
    const known = this.#open.options.chainId ?? this.#client.chainId;
    if (known !== '') return known;
    const path = '/cosmos/base/tendermint/v1beta1/node_info';
    return (await this.#client.get<{ default_node_info: { network: string } }>(path)).default_node_info
      .network;
  }

  /** The fee that flags name, or what the next block asks, with room for it to rise. */
  async #fee(gas: bigint) {
    const { fees, gasPrices } = this.#open.options;
    if (fees !== undefined) return coinsOf('--fees', fees);
    if (gasPrices !== undefined)
      return coinsOf('--gas-prices', gasPrices).map(({ denom, amount }) => ({
        denom,
        amount: (BigInt(amount) * gas).toString(),
      }));
    const path = '/cosmos/base/node/v1beta1/config';
    const { minimum_gas_price } = await this.#client.get<{ minimum_gas_price: string }>(path);
    return coinsOf('minimum_gas_price', minimum_gas_price).flatMap(({ denom, amount }) =>
      amount === '0' ? [] : [{ denom, amount: (BigInt(amount) * 2n * gas).toString() }],
    );
  }

  /** Signs the transaction's body and fee anew, by mode DIRECT. */
  async sign(tx: FullTx): Promise<FullTx> {
    const { accountNumber, sequence } = await this.#account();
    const publicKey = { typeUrl: TYPE_URL.ethPubKey, value: encode(PUB_KEY, { key: this.key.publicKey }) };
    const modeInfo = { single: { mode: SIGN_MODE.direct }, multi: EMPTY };
    const authInfo = {
      signerInfos: [{ publicKey, modeInfo, sequence }],
      fee: tx.authInfo?.fee,
      tip: undefined,
    };
    const { body } = tx;
    if (body === undefined) throw new OperatingError('the transaction has no body');
    const bytes = { bodyBytes: encode(TX_BODY, body), authInfoBytes: encode(FULL_AUTH_INFO, authInfo) };
    const document = directSignBytes(bytes, { chainId: await this.chainId(), accountNumber, sequence });
    const secret = valueOrThrow(this.#open.keyring.secret(this.key.name));
    const { rs } = nobleSuite.secp256k1Sign(secret, nobleSuite.keccak256(document));
    return { body, authInfo, signatures: [rs] };
  }

  /** Gas that a transaction of these messages uses, times --gas-adjustment. */
  async estimate(tx: FullTx): Promise<bigint> {
    const raw = encode(FULL_TX, await this.sign(tx));
    const answer = await this.#client.post<{ gas_info: { gas_used: string } }>(
      '/cosmos/tx/v1beta1/simulate',
      {
        tx_bytes: toBase64(raw),
      },
    );
    const adjustment = Number(this.#open.options.gasAdjustment);
    if (!(adjustment > 0)) throw new OperatingError('invalid gas adjustment');
    return BigInt(Math.ceil(Number(answer.gas_info.gas_used) * adjustment));
  }

  async withFee(tx: FullTx, gasLimit: bigint): Promise<FullTx> {
    const fee = { amount: await this.#fee(gasLimit), gasLimit, payer: '', granter: '' };
    return { ...tx, authInfo: { signerInfos: [], fee, tip: undefined } };
  }
}

async function broadcast(raw: Bytes, client: RestClient, mode: string): Promise<void> {
  const modes: Readonly<Record<string, string>> = {
    sync: 'BROADCAST_MODE_SYNC',
    async: 'BROADCAST_MODE_ASYNC',
  };
  const name = modes[mode];
  if (name === undefined) throw new OperatingError(`--broadcast-mode: expected sync or async, found ${mode}`);
  const body = { tx_bytes: toBase64(raw), mode: name };
  const answer = await client.post<{ tx_response: unknown }>('/cosmos/tx/v1beta1/txs', body);
  client.print(answer.tx_response);
}

async function send(
  from: string,
  to: string,
  amount: string,
  options: TxOptions,
  world: World,
): Promise<void> {
  const open = await openFor(options, world);
  const client = new RestClient(options, world);
  const sender = new Sender(open, client, from);
  const receiver = parseAnyAddress(to, open.hrp);
  if (!receiver.ok) throw new OperatingError(`receiver: ${receiver.error.message}`);
  const message = {
    fromAddress: sender.address,
    toAddress: formatAddress('acc', open.hrp, receiver.value.address),
    amount: coinsOf('amount', amount),
  };
  const body = {
    messages: [{ typeUrl: TYPE_URL.msgSend, value: encode(MSG_SEND, message) }],
    memo: options.note,
    timeoutHeight: 0n,
    extensionOptions: [],
    nonCriticalExtensionOptions: [],
  };
  const bare = await sender.withFee({ body, authInfo: undefined, signatures: [] }, GAS_DEFAULT);
  const isAuto = options.gas === 'auto';
  if (!isAuto && !/^[1-9][0-9]{0,17}$/.test(options.gas))
    throw new OperatingError(`--gas: expected a number or auto, found ${options.gas}`);
  const gas = isAuto || options.dryRun === true ? await sender.estimate(bare) : BigInt(options.gas);
  if (isAuto || options.dryRun === true) world.err(`gas estimate: ${gas}\n`);
  if (options.dryRun === true) return;
  const tx = await sender.withFee(bare, gas);
  if (options.generateOnly === true) {
    world.out(`${JSON.stringify(txJson(tx))}\n`);
    return;
  }
  if (options.yes !== true) {
    world.err(`${JSON.stringify(txJson(tx))}\n\n`);
    if (!isYes(await ask('confirm transaction before signing and broadcasting [y/N]: ')))
      throw new OperatingError('canceled transaction');
  }
  await broadcast(encode(FULL_TX, await sender.sign(tx)), client, options.broadcastMode);
}

function flags(command: Command): Command {
  return command
    .option('--from <name>', 'key that signs')
    .option('--chain-id <id>', 'the network (default: what client.toml or the node says)')
    .option('--gas <gas>', 'gas limit, or auto to simulate', GAS_DEFAULT.toString())
    .option('--gas-adjustment <factor>', 'what a simulated gas is multiplied by', '1.3')
    .option('--gas-prices <coins>', 'price of a gas unit')
    .option('--fees <coins>', 'the whole fee')
    .option('--note <memo>', 'a memo', '')
    .option('-b, --broadcast-mode <mode>', 'sync or async', 'sync')
    .option('-y, --yes', 'do not ask')
    .option('--generate-only', 'print the unsigned transaction')
    .option('--dry-run', 'simulate only')
    .option('--keyring-backend <backend>', 'where keys are kept: file, test or memory')
    .option('--keyring-dir <dir>', 'folder of the keyring (default: the home)')
    .option('--rest <url>', "REST of the node (default: api.address of the home's app.toml)")
    .option('-o, --output <form>', 'text or json');
}

function decodedTx(text: string): FullTx {
  const asHex = /^(0x)?[0-9a-fA-F]+$/.test(text) ? parseHex(text) : undefined;
  const bytes = asHex?.ok === true ? asHex : fromBase64(text);
  const tx = bytes.ok ? decode(FULL_TX, bytes.value) : undefined;
  if (tx?.ok !== true) throw new OperatingError('tx parse error');
  return tx.value;
}

/** An Ethereum transaction that a wallet has signed, in the chain's own envelope. */
async function sendRaw(text: string, options: TxOptions, world: World): Promise<void> {
  const raw = parseHex(text);
  const signed = raw.ok ? decodeEthTx(raw.value, nobleSuite) : undefined;
  if (signed?.ok !== true) throw new OperatingError('not a signed Ethereum transaction in hex');
  const client = new RestClient(options, world);
  const { metadatas } = await client.get<{ metadatas: readonly { base: string }[] }>(
    '/cosmos/bank/v1beta1/denoms_metadata',
  );
  const wrapped = wrapEthTx(signed.value.tx, metadatas[0]?.base ?? 'achain');
  if (options.generateOnly === true) world.out(`${JSON.stringify(txJson(decodedTx(toBase64(wrapped))))}\n`);
  else await broadcast(wrapped, client, options.broadcastMode);
}

export function txCommand(command: Command, world: World): void {
  const sub = (parent: Command, name: string, doc: string): Command =>
    flags(parent.command(name)).description(doc);
  const bankSend = sub(command.command('bank').description('coins'), 'send', 'send coins')
    .argument('<from>')
    .argument('<to>')
    .argument('<coins>');
  bankSend.action((from: string, to: string, coins: string) =>
    send(from, to, coins, bankSend.optsWithGlobals(), world),
  );
  const raw = sub(
    command.command('evm').description('Ethereum transactions'),
    'raw',
    'submit a signed Ethereum transaction',
  ).argument('<hex>');
  raw.action((text: string) => sendRaw(text, raw.optsWithGlobals(), world));
  const sign = sub(command, 'sign', 'sign a transaction made by --generate-only').argument('<file>');
  sign.action(async (file: string) => {
    const options: TxOptions = sign.optsWithGlobals();
    if (options.from === undefined) throw new OperatingError('--from: whose key signs?');
    const sender = new Sender(await openFor(options, world), new RestClient(options, world), options.from);
    world.out(`${JSON.stringify(txJson(await sender.sign(readTx(file))))}\n`);
  });
  const cast = sub(command, 'broadcast', 'submit a signed transaction').argument('<file>');
  cast.action((file: string) => {
    const options: TxOptions = cast.optsWithGlobals();
    return broadcast(encode(FULL_TX, readTx(file)), new RestClient(options, world), options.broadcastMode);
  });
  const enc = command.command('encode').argument('<file>').description('a transaction in JSON as base64');
  enc.action((file: string) => world.out(`${toBase64(encode(FULL_TX, readTx(file)))}\n`));
  const dec = command
    .command('decode')
    .argument('<base64|hex>')
    .description('the bytes of a transaction as JSON');
  dec.action((text: string) => world.out(`${JSON.stringify(txJson(decodedTx(text)))}\n`));
}
