/**
 * `genesis gentx` and `collect-gentxs`: validators of a future chain declare their keys, and are added to its genesis.
 */
import path from 'node:path';
import type { Command } from 'commander';
import { parseAnyAddress } from '../../core/address/kinds.ts';
import { parseCoins } from '../../core/app/cosmos/coins.ts';
import { decimalDigits, genTxParts, genTxSignBytes, POWER_REDUCTION } from '../../core/app/cosmos/genTx.ts';
import type { Coin } from '../../core/app/tx/tables.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { fromBase64 } from '../../core/lib/base64.ts';
import type { Bytes } from '../../core/lib/bytes.ts';
import { parsePeerAddress } from '../../core/p2p/peerAddress.ts';
import { loadNodeKey, nodeIdOf } from '../config/nodeKey.ts';
import { makeDir, onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { loadValidatorKey } from '../signer/keyFile.ts';
import { collectGenTxs } from './collectGentxs.ts';
import { type GenesisDoc, openGenesis } from './genesisDoc.ts';
import { renderGenTx } from './genTxFile.ts';
import { checkFunds, gentxDir, powerOf } from './gentxFacts.ts';
import { type KeysOptions, openFor, valueOrThrow } from './keysOpen.ts';
import { feeOf } from './txFile.ts';
import type { World } from './world.ts';

interface GenTxOptions extends KeysOptions {
  readonly chainId?: string;
  readonly moniker?: string;
  readonly identity: string;
  readonly website: string;
  readonly securityContact: string;
  readonly details: string;
  readonly commissionRate: string;
  readonly commissionMaxRate: string;
  readonly commissionMaxChangeRate: string;
  readonly minSelfDelegation: string;
  readonly pubkey?: string;
  readonly nodeId?: string;
  readonly ip?: string;
  readonly p2pPort?: string;
  readonly note?: string;
  readonly gas: string;
  readonly gasPrices?: string;
  readonly fees?: string;
  readonly outputDocument?: string;
}

export function genTxCommands(command: Command, world: World): void {
  const make = command
    .command('gentx')
    .argument('<key>', 'name of the key whose account is the operator')
    .argument('<amount>', `coins that stand for the validator: ${POWER_REDUCTION} are one unit of power`)
    .option('--chain-id <id>', 'the chain (default: that of genesis.json)')
    .option('--moniker <name>', 'name of the validator (default: that of config.toml)')
    .option('--identity <text>', 'like a Keybase id', '')
    .option('--website <url>', '', '')
    .option('--security-contact <mail>', '', '')
    .option('--details <text>', '', '')
    .option('--commission-rate <fraction>', '', '0.1')
    .option('--commission-max-rate <fraction>', '', '0.2')
    .option('--commission-max-change-rate <fraction>', 'a day', '0.01')
    .option('--min-self-delegation <amount>', '', '1')
    .option('--pubkey <json>', "the validator's key (default: that of this home)")
    .option('--node-id <id>', "the node's id (default: that of this home)")
    .option('--ip <host>', 'where peers reach the node (default: p2p.external_address, else 127.0.0.1)')
    .option('--p2p-port <port>', 'and on which port')
    .option('--note <memo>', 'a memo other than nodeid@host:port')
    .option('--gas <gas>', 'gas limit', '200000')
    .option('--gas-prices <coins>', 'price of a gas unit')
    .option('--fees <coins>', 'the whole fee')
    .option('--output-document <file>', 'where it is written (default: config/gentx/gentx-NODEID.json)')
    .option('--keyring-backend <backend>', 'where keys are kept: file, test or memory')
    .option('--keyring-dir <dir>', 'folder of the keyring (default: the home)')
    .description('sign what makes this node a validator of the genesis');
  make.action((key: string, amount: string) => genTx(key, amount, make.optsWithGlobals(), world));
  const collect = command
    .command('collect-gentxs')
    .option('--gentx-dir <dir>', 'where they are (default: config/gentx)')
    .description(
      'take the validators of all genesis transactions into genesis.json, in place of those there',
    );
  collect.action(() => collectGenTxs(collect.optsWithGlobals(), world));
}

function coinOf(flag: string, text: string): Coin {
  const [coin, ...more] = parseCoins(text) ?? [];
  if (coin === undefined || more.length > 0)
    throw new OperatingError(`${flag}: invalid decimal coin expression: ${text}`);
  return coin;
}

const wholeFeeOf = ({ fees, gasPrices, gas }: GenTxOptions): readonly Coin[] => {
  if (fees !== undefined) return [coinOf('--fees', fees)];
  return gasPrices === undefined ? [] : feeOf(gasPrices, BigInt(gas));
};

function rateOf(flag: string, text: string): string {
  const digits = decimalDigits(text);
  if (digits === undefined || BigInt(digits) > 10n ** 18n)
    throw new OperatingError(`--${flag}: expected a fraction of one, found ${text}`);
  return digits;
}

function commissionOf(options: GenTxOptions) {
  const rate = rateOf('commission-rate', options.commissionRate);
  const maxRate = rateOf('commission-max-rate', options.commissionMaxRate);
  const maxChangeRate = rateOf('commission-max-change-rate', options.commissionMaxChangeRate);
  if (BigInt(rate) > BigInt(maxRate)) throw new OperatingError('commission cannot be more than the max rate');
  if (BigInt(maxChangeRate) > BigInt(maxRate))
    throw new OperatingError('commission change rate cannot be more than the max rate');
  return { rate, maxRate, maxChangeRate };
}

/** The validator's 32-byte consensus key: from --pubkey in the form of `comet show-validator`, else this home's own. */
function consensusKeyOf({ pubkey }: GenTxOptions, { config }: GenesisDoc): Bytes {
  if (pubkey === undefined) return loadValidatorKey(config.files.validatorKey, nobleSuite).publicKey;
  let json: { '@type'?: unknown; key?: unknown } | null;
  try {
    json = JSON.parse(pubkey);
  } catch {
    json = null;
  }
  const key = typeof json?.key === 'string' ? fromBase64(json.key) : undefined;
  if (json?.['@type'] !== '/cosmos.crypto.ed25519.PubKey' || key?.ok !== true || key.value.length !== 32)
    throw new OperatingError('--pubkey: expected {"@type":"/cosmos.crypto.ed25519.PubKey","key":"…"}');
  return key.value;
}

function placeOf(options: GenTxOptions, { config }: GenesisDoc): { nodeId: string; memo: string } {
  const nodeId = options.nodeId ?? nodeIdOf(loadNodeKey(config.files.nodeKey, nobleSuite), nobleSuite);
  const { external, listen } = config.p2p;
  const shown = external ?? (listen?.host === '0.0.0.0' || listen?.host === '::' ? undefined : listen);
  const host = options.ip ?? shown?.host ?? '127.0.0.1';
  const port = options.p2pPort ?? String(external?.port ?? listen?.port ?? 26656);
  const memo = options.note ?? `${nodeId}@${host}:${port}`;
  const parsed = parsePeerAddress(memo);
  if (!parsed.ok) throw new OperatingError(`memo ${memo}: ${parsed.error}`);
  return { nodeId, memo };
}

async function genTx(name: string, amountText: string, options: GenTxOptions, world: World): Promise<void> {
  const doc = openGenesis(options, world);
  const { genesis, state, config } = doc;
  const open = await openFor(options, world);
  const parsed = parseAnyAddress(name, state.hrp);
  const named = open.keyring.show(name);
  const found = named.ok || !parsed.ok ? named : open.keyring.show(parsed.value.address);
  if (!found.ok)
    throw new OperatingError(`failed to fetch '${name}' from the keyring: ${found.error.message}`);
  const key = found.value;
  const amount = coinOf('amount', amountText);
  checkFunds(doc, key.address, amount, 'failed to validate account in genesis');
  if (!/^[1-9][0-9]{0,17}$/.test(options.gas))
    throw new OperatingError(`--gas: expected a number, found ${options.gas}`);
  if (!/^[1-9][0-9]{0,77}$/.test(options.minSelfDelegation))
    throw new OperatingError('minimum self delegation must be a positive integer');
  if (BigInt(amount.amount) < BigInt(options.minSelfDelegation))
    throw new OperatingError('validator must be self-delegated with at least --min-self-delegation');
  powerOf(amount, 'amount');
  const { nodeId, memo } = placeOf(options, doc);
  const parts = genTxParts(
    {
      operator: key,
      consensusKey: consensusKeyOf(options, doc),
      amount,
      description: { ...options, moniker: options.moniker ?? config.moniker },
      commission: commissionOf(options),
      minSelfDelegation: options.minSelfDelegation,
      memo,
      gasLimit: BigInt(options.gas),
      fee: wholeFeeOf(options),
    },
    state.hrp,
  );
  const secret = valueOrThrow(open.keyring.secret(key.name));
  const document = genTxSignBytes(parts, options.chainId ?? genesis.chainId);
  const { rs } = nobleSuite.secp256k1Sign(secret, nobleSuite.keccak256(document));
  const file = options.outputDocument ?? path.join(gentxDir(doc), `gentx-${nodeId}.json`);
  onFile('write', file, () => {
    makeDir(path.dirname(file));
    replaceFile(file, Buffer.from(renderGenTx({ ...parts, signatures: [rs] })), 0o644);
  });
  world.err(`Genesis transaction written to "${file}"\n`);
}
