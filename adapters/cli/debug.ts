import type { Command } from 'commander';
import { toEip55 } from '../../core/address/eip55.ts';
import { formatAddress, parseAnyAddress } from '../../core/address/kinds.ts';
import { toUpperHex } from '../../core/lib/bytes.ts';
import { hrpOfHome } from '../config/genesisFile.ts';
import { OperatingError } from '../operatingError.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';

export function debugCommand(command: Command, world: World): void {
  const addr = command
    .command('addr')
    .argument('<address>', 'hex (with or without 0x) or bech32 (account, valoper, valcons)')
    .option('--prefix <prefix>', "bech32 prefix of the chain (default: the home's)")
    .description('show every form of an address');
  addr.action((text: string) => {
    const options: GlobalOptions & { prefix?: string } = addr.optsWithGlobals();
    world.out(addressForms(text, options.prefix ?? hrpOfHome(homeFrom(options, world))));
  });
}

function addressForms(text: string, hrp: string): string {
  const parsed = parseAnyAddress(text, hrp);
  if (!parsed.ok)
    throw new OperatingError(
      `expected a valid hex or bech32 address (acc prefix ${hrp}), got '${text}': ${parsed.error.message}`,
    );
  const { address } = parsed.value;
  return [
    `Address bytes: [${address.join(' ')}]`,
    `Address (hex): ${toUpperHex(address)}`,
    `Address (EIP-55): ${toEip55(address)}`,
    `Bech32 Acc: ${formatAddress('acc', hrp, address)}`,
    `Bech32 Val: ${formatAddress('val', hrp, address)}`,
    '',
  ].join('\n');
}
