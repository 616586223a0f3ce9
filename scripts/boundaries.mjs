// Who may import whom: the rooms of docs/architecture.md. `node scripts/boundaries.mjs` checks the whole tree;
// `violationsOf` checks one file.
import * as fs from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const GROUND = ['lib', 'types', 'node/contract'];
const CODECS = ['crypto', 'address', 'codec'];
const below = [...GROUND, ...CODECS];
const APP = [...below, 'state', 'store', 'events'];
/** The interfaces through which readers see the chain and execute calls. */
const VIEWS = ['app/chain', 'app/evmService'];

/**
 * Rooms of core, lowest first, and the other rooms that each may import. A room may always import itself.
 * `node/contract` and the other interface files are rooms of their own: they hold types that others program against.
 */
export const CORE_ROOMS = {
  lib: [],
  types: ['lib'],
  crypto: ['lib', 'types'],
  codec: ['lib', 'types', 'crypto'],
  address: ['lib', 'types', 'crypto'],
  'node/contract': ['lib', 'types'],
  consensus: below,
  evidence: below,
  gossip: below,
  sync: below,
  mempool: below,
  p2p: below,
  store: below,
  state: [...below, 'store'],
  'app/chain': ['lib', 'types'],
  'app/evmService': ['lib', 'types', 'app/chain'],
  events: [...below, 'store', 'app/chain'],
  app: [...APP, ...VIEWS, 'consensus', 'evidence'],
  'rpc/context': [...below, ...VIEWS, 'events', 'p2p'],
  rpc: [...APP, ...VIEWS, 'app', 'rpc/context', 'p2p'],
  node: [
    ...APP,
    ...VIEWS,
    'app',
    'consensus',
    'evidence',
    'gossip',
    'sync',
    'mempool',
    'p2p',
    'rpc',
    'rpc/context',
  ],
};

/** Files that are rooms of their own. */
const FILE_ROOMS = new Set(['node/contract', ...VIEWS, 'rpc/context']);

/** Packages by top-level folder; a name ending in `/` allows a scope. Tests and benches may use anything. */
const PACKAGES = {
  core: ['@noble/', '@scure/', 'protobufjs', '@ethereumjs/'],
  sim: ['@noble/', 'yaml'],
  adapters: [
    '@grpc/',
    '@noble/',
    'classic-level',
    'commander',
    'fast-check',
    'hash-wasm',
    'pg',
    'prom-client',
    'protobufjs',
    'protobufjs/',
    'secp256k1',
    'smol-toml',
    'ws',
    'yaml',
  ],
};

const TOP = ['core', 'sim', 'adapters', 'playground', 'bench', 'test'];
const IMPORT =
  /(?:^|[\s;}])(?:import|export)\s+(?:type\s+)?(?:[\w*{][^'";]*?\sfrom\s*)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g;

/** The import specifiers of a TypeScript text. Comments are ignored. */
export function importsOf(text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  return [...code.matchAll(IMPORT)].map((match) => match[1] ?? match[2]);
}

/** `core/app/evm/x.ts` → { top: 'core', room: 'app' }. */
function placeOf(file) {
  const [top, ...rest] = file.split('/');
  if (top !== 'core') return { top, room: rest.length > 1 ? rest[0] : '' };
  const alone = rest.join('/').replace(/\.ts$/, '');
  return { top, room: FILE_ROOMS.has(alone) ? alone : rest[0] };
}

function packageViolation(file, top, specifier) {
  if (top === 'test' || top === 'bench') return undefined;
  if (isBuiltin(specifier))
    return top === 'adapters'
      ? undefined
      : `${file}: ${top} may not import ${specifier}: it runs in a browser unchanged`;
  const allowed = PACKAGES[top] ?? [];
  const fits = allowed.some((name) =>
    name.endsWith('/') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`),
  );
  return fits
    ? undefined
    : `${file}: ${top} may not use the package ${specifier} (allowed: ${allowed.join(', ')})`;
}

function roomViolation(file, target) {
  const from = placeOf(file);
  const to = placeOf(target);
  if (!TOP.includes(to.top)) return `${file}: ${target} is outside the source folders`;
  if (from.top === 'test') return undefined;
  if (to.top === 'test') return `${file}: only tests may import tests (${target})`;
  if (from.top === 'bench') return undefined;
  if (to.top === 'bench') return `${file}: only benches may import benches (${target})`;
  if (from.top === 'core') {
    if (to.top !== 'core') return `${file}: core may not import ${to.top} (${target})`;
    const seen = CORE_ROOMS[from.room];
    if (seen === undefined)
      return `${file}: core/${from.room} is not a room; name it in scripts/boundaries.mjs`;
    if (from.room === to.room || seen.includes(to.room)) return undefined;
    return `${file}: core/${from.room} may not import core/${to.room} (${target})`;
  }
  if (from.top === to.top) return undefined;
  if (from.top === 'playground')
    return to.top === 'sim' ? undefined : `${file}: playground may import only sim (${target})`;
  if (to.top === 'core') return undefined;
  if (from.top === 'adapters' && from.room === 'cli') return undefined;
  return `${file}: ${from.top} may not import ${to.top}; only adapters/cli joins them (${target})`;
}

/** The forbidden imports of `text`, which is the content of `file` (a path from the root, with `/`). */
export function violationsOf(file, text) {
  const violations = [];
  for (const specifier of importsOf(text)) {
    if (!specifier.startsWith('.')) {
      violations.push(packageViolation(file, placeOf(file).top, specifier));
      continue;
    }
    if (!/\.(ts|mjs|json)$/.test(specifier)) violations.push(`${file}: '${specifier}' must end in .ts`);
    const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), specifier));
    if (!(target.startsWith('scripts/') && file.startsWith('test/')))
      violations.push(roomViolation(file, target));
  }
  return violations.filter((violation) => violation !== undefined);
}

/** Every TypeScript file of the project, as paths from the root. */
export function sourceFiles(root) {
  const files = [];
  for (const top of TOP)
    for (const entry of fs.readdirSync(path.join(root, top), { recursive: true, withFileTypes: true }))
      if (entry.isFile() && entry.name.endsWith('.ts'))
        files.push(path.relative(root, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'));
  return files.sort();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = path.resolve(path.dirname(process.argv[1]), '..');
  const files = sourceFiles(root);
  const violations = files.flatMap((file) =>
    violationsOf(file, fs.readFileSync(path.join(root, file), 'utf8')),
  );
  for (const violation of violations) console.error(violation);
  console.log(`${files.length} files, ${violations.length} forbidden imports`);
  process.exitCode = violations.length === 0 ? 0 : 1;
}
