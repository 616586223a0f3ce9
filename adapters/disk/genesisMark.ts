import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { renderGenesis } from '../../core/codec/genesis.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { toHex } from '../../core/lib/bytes.ts';
import { ChainReads } from '../../core/store/chainReads.ts';
import type { KvStore } from '../../core/store/kv.ts';
import type { Genesis } from '../../core/types/genesis.ts';
import { OperatingError } from '../operatingError.ts';
import { onFile, replaceFile } from './files.ts';

export const genesisMarkOf = (dataDir: string): string => path.join(dataDir, 'genesis.sha256');

/**
 * Compares genesis.json with the genesis that this home's chain began with: a node with another one would serve it to
 * clients and join no network, and nothing else would report that. Whitespace and key order do not matter. Throws
 * OperatingError.
 */
export function refuseOtherGenesis(
  kv: KvStore,
  genesis: Genesis,
  dataDir: string,
  { sha256 }: Pick<CryptoSuite, 'sha256'>,
): void {
  const mark = genesisMarkOf(dataDir);
  const hash = toHex(sha256(new TextEncoder().encode(renderGenesis(genesis))));
  const hasBegun = new ChainReads(kv).loadStoredState() !== undefined;
  if (hasBegun && existsSync(mark)) {
    const known = onFile('read', mark, () => readFileSync(mark, 'utf8')).trim();
    if (known === hash) return;
    throw new OperatingError(
      `the genesis of this home is not the one that its chain began with (${mark} says so): restore genesis.json; to ` +
        'begin another chain, delete what is there of this one with orrery comet unsafe-reset-all',
    );
  }
  onFile('write', mark, () => replaceFile(mark, Buffer.from(`${hash}\n`)));
}
