/** `genesis collect-gentxs`: adds the validators of the collected genesis transactions to the genesis. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type GenesisValidatorClaim, readGenTx } from '../../core/app/cosmos/genTx.ts';
import { ethAddress } from '../../core/crypto/addresses.ts';
import { nobleSuite } from '../../core/crypto/noble.ts';
import { compareText, toHex } from '../../core/lib/bytes.ts';
import { parsePeerAddress } from '../../core/p2p/peerAddress.ts';
import { CONFIG_TOML } from '../config/configToml.ts';
import { configTomlPath } from '../config/home.ts';
import { CONFIG_TITLE } from '../config/initHome.ts';
import { readSettings } from '../config/nodeConfig.ts';
import { loadNodeKey, nodeIdOf } from '../config/nodeKey.ts';
import { readTable, renderTable } from '../config/table.ts';
import { onFile, replaceFile } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';
import { type GenesisDoc, openGenesis, saveGenesis } from './genesisDoc.ts';
import { parseGenTx } from './genTxFile.ts';
import { checkFunds, gentxDir, powerOf } from './gentxFacts.ts';
import type { GlobalOptions, World } from './world.ts';

const FILES_MAX = 10_000;

interface Claim extends GenesisValidatorClaim {
  readonly file: string;
}

function readClaims(dir: string, doc: GenesisDoc): readonly Claim[] {
  const names = existsSync(dir) ? onFile('read', dir, () => readdirSync(dir)) : [];
  const files = names.filter((name) => name.endsWith('.json')).sort(compareText);
  if (files.length === 0) throw new OperatingError(`there must be at least one genesis tx: none in ${dir}`);
  if (files.length > FILES_MAX) throw new OperatingError(`${dir} has more than ${FILES_MAX} files`);
  const chain = { chainId: doc.genesis.chainId, hrp: doc.state.hrp };
  return files.map((name) => {
    const file = path.join(dir, name);
    const raw = parseGenTx(
      onFile('read', file, () => readFileSync(file, 'utf8')),
      file,
    );
    const claim = readGenTx(raw, chain, nobleSuite, ethAddress);
    if (!claim.ok)
      throw new OperatingError(`genesis transaction ${file} is not usable: ${claim.error.message}`);
    return { ...claim.value, file };
  });
}

function noneTwice(claims: readonly Claim[]): void {
  const seen = new Map<string, string>();
  for (const { file, operator, consensusKey } of claims) {
    for (const key of [toHex(operator), toHex(consensusKey)]) {
      const other = seen.get(key);
      if (other !== undefined)
        throw new OperatingError(`genesis transactions ${other} and ${file} are of the same validator`);
      seen.set(key, file);
    }
  }
}

export function collectGenTxs(options: GlobalOptions & { readonly gentxDir?: string }, world: World): void {
  const doc = openGenesis(options, world);
  const { config, genesis } = doc;
  const dir = options.gentxDir ?? gentxDir(doc);
  const claims = readClaims(dir, doc);
  noneTwice(claims);
  for (const { operator, amount, file } of claims) checkFunds(doc, operator, amount, file);
  const validators = claims.map(({ consensusKey, moniker, amount, file }) => ({
    address: nobleSuite.sha256(consensusKey).slice(0, 20),
    pubKey: { type: 'ed25519' as const, bytes: consensusKey },
    power: powerOf(amount, file),
    name: moniker,
  }));
  const nodeId = nodeIdOf(loadNodeKey(config.files.nodeKey, nobleSuite), nobleSuite);
  writePeers(config.files.home, nodeId, claims);
  saveGenesis(doc, { ...genesis, validators });
  const told = {
    moniker: config.moniker,
    chain_id: genesis.chainId,
    node_id: nodeId,
    gentxs_dir: dir,
    app_message: genesis.appState,
  };
  world.err(`${JSON.stringify(told)}\n`);
}

/** Makes all other validators' nodes persistent peers of this node. */
function writePeers(home: string, nodeId: string, claims: readonly Claim[]): void {
  const others = claims.flatMap(({ memo, file }) => {
    const peer = parsePeerAddress(memo);
    if (!peer.ok)
      throw new OperatingError(
        `genesis transaction ${file}: couldn't find node's address and IP in "${memo}"`,
      );
    return peer.value.id === nodeId ? [] : [memo];
  });
  const file = configTomlPath(home);
  const flags = new Map([['p2p.persistent_peers', others.join(',')]]);
  const values = readTable(CONFIG_TOML, { flags, env: {}, file: readSettings(file) });
  onFile('write', file, () =>
    replaceFile(file, Buffer.from(renderTable(CONFIG_TOML, values, CONFIG_TITLE)), 0o644),
  );
}
