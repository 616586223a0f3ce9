import type { Command } from 'commander';
import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { MSG_MULTI_SEND, MSG_SEND } from '../../core/app/cosmos/tables.ts';
import { decodeEthTx } from '../../core/app/evm/ethTx.ts';
import type { Any, Coin } from '../../core/app/tx/tables.ts';
import { wrapEthTx } from '../../core/app/tx/wrapEthTx.ts';
import { TYPE_URL } from '../../core/app/typeUrls.ts';
import { encode } from '../../core/codec/proto.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { toBase64 } from '../../core/lib/base64.ts';
import { type Bytes, parseHex } from '../../core/lib/bytes.ts';
import { FULL_TX } from '../../core/rpc/cosmos/txTables.ts';
import { OperatingError } from '../operatingError.ts';
import { openFor } from './keysOpen.ts';
import { ask, isYes } from './prompt.ts';
import { RestClient } from './restClient.ts';
import { coinsOf, decodedTx, readTx, txJson } from './txFile.ts';
import { numberOf, Sender, type TxOptions } from './txSender.ts';
import type { World } from './world.ts';

const GAS_DEFAULT = 200_000n;

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

const receiverOf = (text: string, hrp: string): string => {
  const parsed = parseAnyAddress(text, hrp);
  if (!parsed.ok) throw new OperatingError(`receiver: ${parsed.error.message}`);
  return formatAddress('acc', hrp, parsed.value.address);
};

/** MsgSend for one receiver; MsgMultiSend for several, with the same amount for each. */
function sendMessage(
  fromAddress: string,
  receivers: readonly string[],
  amount: readonly Coin[],
  isMulti: boolean,
): Any {
  const [toAddress = ''] = receivers;
  if (!isMulti)
    return { typeUrl: TYPE_URL.msgSend, value: encode(MSG_SEND, { fromAddress, toAddress, amount }) };
  const coins = amount.map((one) => ({
    ...one,
    amount: (BigInt(one.amount) * BigInt(receivers.length)).toString(),
  }));
  const message = {
    inputs: [{ address: fromAddress, coins }],
    outputs: receivers.map((address) => ({ address, coins: amount })),
  };
  return { typeUrl: TYPE_URL.msgMultiSend, value: encode(MSG_MULTI_SEND, message) };
}

interface Payment {
  readonly from: string;
  readonly to: readonly string[];
  readonly amount: string;
  readonly isMulti: boolean;
}

async function send({ from, to, amount, isMulti }: Payment, options: TxOptions, world: World): Promise<void> {
  const open = await openFor(options, world);
  const client = new RestClient(options, world);
  const sender = new Sender(open, client, from);
  const receivers = to.map((one) => receiverOf(one, open.hrp));
  const body = {
    messages: [sendMessage(sender.address, receivers, coinsOf('amount', amount), isMulti)],
    memo: options.note,
    timeoutHeight: numberOf('--timeout-height', options.timeoutHeight) ?? 0n,
    extensionOptions: [],
    nonCriticalExtensionOptions: [],
  };
  const isSimulated = options.gas === 'auto' || options.dryRun === true;
  if (options.gas !== 'auto' && !/^[1-9][0-9]{0,17}$/.test(options.gas))
    throw new OperatingError(`--gas: expected a number or auto, found ${options.gas}`);
  if (isSimulated && options.offline === true)
    throw new OperatingError('--offline: a node must be there to estimate gas');
  const bare = { body, authInfo: undefined, signatures: [] };
  const gas = isSimulated
    ? await sender.estimate(await sender.withFee(bare, GAS_DEFAULT))
    : BigInt(options.gas);
  if (isSimulated) world.err(`gas estimate: ${gas}\n`);
  if (options.dryRun === true) return;
  const tx = await sender.withFee(bare, gas);
  if (options.generateOnly === true) {
    world.out(`${JSON.stringify(txJson(tx))}\n`);
    return;
  }
  if (options.offline === true)
    throw new OperatingError('--offline: nothing can be sent; add --generate-only, and sign the file');
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
    .option('--gas-adjustment <factor>', 'factor by which simulated gas is multiplied', '1.3')
    .option('--gas-prices <coins>', 'price of a gas unit')
    .option('--fees <coins>', 'the whole fee')
    .option('--note <memo>', 'a memo', '')
    .option('-b, --broadcast-mode <mode>', 'sync or async', 'sync')
    .option('-y, --yes', 'do not ask')
    .option('--sign-mode <mode>', 'direct or amino-json', 'direct')
    .option('--offline', 'query no node: needs --chain-id, --account-number, --sequence and a fee')
    .option('-a, --account-number <number>', 'of the signer (default: what the node says)')
    .option('-s, --sequence <number>', 'of the signer (default: what the node says)')
    .option('--timeout-height <height>', 'last height at which the transaction may be included')
    .option('--generate-only', 'print the unsigned transaction')
    .option('--dry-run', 'simulate only')
    .option('--keyring-backend <backend>', 'where keys are kept: file, test or memory')
    .option('--keyring-dir <dir>', 'folder of the keyring (default: the home)')
    .option('--rest <url>', "REST of the node (default: api.address of the home's app.toml)")
    .option('-n, --node <url>', 'query the consensus RPC of a node instead, like tcp://localhost:26657')
    .option('-o, --output <form>', 'text or json');
}

/** Sends an Ethereum transaction that a wallet has signed, in its consensus wrapping. */
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
  const bank = command.command('bank').description('coins');
  const bankSend = sub(bank, 'send', 'send coins').argument('<from>').argument('<to>').argument('<coins>');
  bankSend.action((from: string, to: string, amount: string) =>
    send({ from, to: [to], amount, isMulti: false }, bankSend.optsWithGlobals(), world),
  );
  const multiSend = sub(bank, 'multi-send', 'send the same coins to each of several receivers')
    .argument('<from>')
    .argument('<to-and-coins...>', 'receivers, and last what each of them gets');
  multiSend.action((from: string, rest: readonly string[]) => {
    if (rest.length < 2) throw new OperatingError('expected receivers and, last, coins');
    const payment = { from, to: rest.slice(0, -1), amount: rest.at(-1) ?? '', isMulti: true };
    return send(payment, multiSend.optsWithGlobals(), world);
  });
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
  const sim = sub(command, 'simulate', 'the gas of a transaction in a file, unsigned or signed').argument(
    '<file>',
  );
  sim.action(async (file: string) => {
    const options: TxOptions = sim.optsWithGlobals();
    const client = new RestClient(options, world);
    const given = readTx(file);
    // The simulation ignores the signature, but needs the signer and its next sequence.
    const isBare = (given.authInfo?.signerInfos.length ?? 0) === 0;
    if (isBare && options.from === undefined) throw new OperatingError('--from: whose key will sign?');
    const tx = isBare
      ? await new Sender(await openFor(options, world), client, options.from ?? '').sign(given)
      : given;
    const tx_bytes = toBase64(encode(FULL_TX, tx));
    client.print(await client.post('/cosmos/tx/v1beta1/simulate', { tx_bytes }));
  });
  const enc = command.command('encode').argument('<file>').description('a transaction in JSON as base64');
  enc.action((file: string) => world.out(`${toBase64(encode(FULL_TX, readTx(file)))}\n`));
  const dec = command
    .command('decode')
    .argument('<base64|hex>')
    .description('the bytes of a transaction as JSON');
  dec.action((text: string) => world.out(`${JSON.stringify(txJson(decodedTx(text)))}\n`));
}
