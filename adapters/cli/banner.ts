import { toEip55 } from '../../core/address/eip55.ts';
import { formatAddress } from '../../core/address/kinds.ts';
import { evmChainIdOf } from '../../core/app/appState.ts';
import { to0xHex } from '../../core/lib/bytes.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import { DEV_MNEMONIC } from '../config/devAccounts.ts';
import { hrpOfGenesis } from '../config/genesisFile.ts';
import type { BlockSummary, Endpoints, UnlockedKey } from '../nodeOptions.ts';

export interface BannerFacts {
  readonly version: string;
  readonly genesis: Genesis;
  readonly home: string;
  readonly endpoints: Endpoints;
  readonly accounts: readonly UnlockedKey[];
}

/** The text that a devnet prints when it has started. */
export function banner(facts: BannerFacts): string {
  const { version, genesis, home, endpoints } = facts;
  const hrp = hrpOfGenesis(genesis);
  const lines = [
    '',
    `Orrery ${version} devnet`,
    '',
    row('Chain id', `${genesis.chainId} (EVM chain id ${evmChainIdOf(genesis.chainId) ?? 'see genesis'})`),
    row('Home', home),
    row('JSON-RPC', endpoints.jsonRpc ?? 'off'),
    row('EVM websocket', endpoints.evmWs ?? 'off'),
    row('REST', endpoints.rest ?? 'off'),
    row('gRPC', endpoints.grpc ?? 'off'),
    row(
      'Consensus RPC',
      endpoints.consensusRpc === undefined ? 'off' : `${endpoints.consensusRpc} (and /websocket)`,
    ),
    ...(endpoints.metrics === undefined ? [] : [row('Metrics', endpoints.metrics)]),
    '',
    `Accounts, funded with 10000 coins each (mnemonic "${DEV_MNEMONIC}", m/44'/60'/0'/0/i):`,
    '',
  ];
  for (const [index, { address, secret }] of facts.accounts.entries()) {
    lines.push(`(${index}) ${toEip55(address)}  ${formatAddress('acc', hrp, address)}`);
    lines.push(`    key ${to0xHex(secret)}`);
  }
  lines.push(
    '',
    'WARNING: everybody knows these keys. Coins sent to them on a real network are stolen at once.',
    '',
    'Ctrl-C stops; the same command continues this chain.',
    '',
  );
  return `${lines.join('\n')}\n`;
}

const row = (name: string, value: string): string => `${name.padEnd(15)}${value}`;

/** `block 12  3 txs  63000 gas  0x…` */
export function blockLine({ height, txs, gasUsed, ethHash }: BlockSummary): string {
  const content = txs === 0 ? 'empty' : `${txs} ${txs === 1 ? 'tx' : 'txs'}  ${gasUsed} gas`;
  return `block ${height}  ${content}  ${to0xHex(ethHash)}\n`;
}
