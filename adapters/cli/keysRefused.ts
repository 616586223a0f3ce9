/**
 * Key options of Cosmos tools that this chain does not support. They get an explanation instead of `unknown option`.
 */
import { type Command, Option } from 'commander';
import { OperatingError } from '../operatingError.ts';

export const NO_MULTISIG =
  'there are no multisig keys, because an account of this chain has one signer; several owners share a contract';
const NO_DEVICE =
  'keys of hardware devices are not reached from here: keep the public half with --pubkey and sign on the device';

/** Adds options that are refused with a reason. */
export function refusedOptions(command: Command, flags: readonly string[]): void {
  for (const flag of flags) {
    const reason = /ledger|device/.test(flag) ? NO_DEVICE : NO_MULTISIG;
    const name = flag.replace(/^.*--/, '--').replace(/ .*$/, '');
    const refuse = (): never => {
      throw new OperatingError(`${name}: ${reason}`);
    };
    command.addOption(new Option(flag).hideHelp());
    command.on(`option:${name.slice(2)}`, refuse);
  }
}

export function checkKeyType(type: string): void {
  if (type === 'eth_secp256k1') return;
  const reason =
    type === 'secp256k1'
      ? '; the address of a plain secp256k1 key is another, and nothing on this chain can sign for it'
      : '';
  throw new OperatingError(`--key-type: expected eth_secp256k1, found ${type}${reason}`);
}
