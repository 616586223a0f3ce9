import { setImmediate } from 'node:timers/promises';
import { Command, CommanderError } from 'commander';
import { OperatingError } from '../operatingError.ts';
import type { World } from './world.ts';
import { processWorld } from './world.ts';

/** A command's module: adds options and an action to its command. */
type Furnish = (command: Command, world: World) => void;

interface Entry {
  readonly name: string;
  readonly alias?: string;
  readonly summary: string;
  /** Loads the module only when its command runs: `version` should not wait for the EVM. */
  readonly load: () => Promise<Furnish>;
}

const COMMANDS: readonly Entry[] = [
  {
    name: 'devnet',
    summary: 'run a one-validator chain with funded accounts',
    load: async () => (await import('./devnet.ts')).devnetCommand,
  },
  {
    name: 'start',
    summary: 'run a node',
    load: async () => (await import('./start.ts')).startCommand,
  },
  {
    name: 'init',
    summary: "create a home: settings, genesis, this node's keys",
    load: async () => (await import('./init.ts')).initCommand,
  },
  {
    name: 'genesis',
    summary: 'edit the accounts and validators of a chain that has not started',
    load: async () => (await import('./genesis.ts')).genesisCommand,
  },
  {
    name: 'export',
    summary: 'write the state of a stopped node as a genesis file',
    load: async () => (await import('./export.ts')).exportCommand,
  },
  {
    name: 'testnet',
    summary: 'create and run a network of several validators',
    load: async () => (await import('./testnet.ts')).testnetCommand,
  },
  {
    name: 'comet',
    alias: 'tendermint',
    summary: 'show and reset the keys and data of the consensus node',
    load: async () => (await import('./comet.ts')).cometCommand,
  },
  {
    name: 'status',
    summary: 'show the status of a running node',
    load: async () => (await import('./status.ts')).statusCommand,
  },
  {
    name: 'keys',
    summary: 'manage the accounts in the keyring',
    load: async () => (await import('./keys.ts')).keysCommand,
  },
  {
    name: 'query',
    alias: 'q',
    summary: 'query a running node',
    load: async () => (await import('./query.ts')).queryCommand,
  },
  {
    name: 'index',
    summary: 'rebuild the event index of a stopped node',
    load: async () => (await import('./index.ts')).indexCommand,
  },
  {
    name: 'tx',
    summary: 'make, sign and submit transactions',
    load: async () => (await import('./tx.ts')).txCommand,
  },
  {
    name: 'sim',
    summary: 'run the node in the simulator',
    load: async () => (await import('./sim.ts')).simCommand,
  },
  {
    name: 'fuzz',
    summary: 'feed random and damaged input to a decoder or a server',
    load: async () => (await import('./fuzz.ts')).fuzzCommand,
  },
  {
    name: 'debug',
    summary: 'convert and inspect values',
    load: async () => (await import('./debug.ts')).debugCommand,
  },
  {
    name: 'rollback',
    summary: 'undo the newest height of a stopped node',
    load: async () => (await import('./rollback.ts')).rollbackCommand,
  },
  {
    name: 'version',
    summary: 'print the version of this program',
    load: async () => (await import('./version.ts')).versionCommand,
  },
];

/** The first argument that is neither an option nor the value of --home. */
function commandWord(args: readonly string[]): string | undefined {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] as string;
    if (arg === '--home') i++;
    else if (!arg.startsWith('-')) return arg;
  }
  return undefined;
}

async function programFor(args: readonly string[], world: World): Promise<Command> {
  const program = new Command('orrery')
    .description('An EVM-compatible BFT blockchain node, and the simulator that runs the same node.')
    .option('--home <dir>', 'folder of settings, keys and data (ORRERY_HOME; default ~/.orrery)')
    .exitOverride()
    .configureOutput({
      writeOut: world.out,
      writeErr: world.err,
      outputError: (text, write) => write(text.replace(/^error: /, 'Error: ')),
    });
  const word = commandWord(args);
  if (word === undefined && args.some((arg) => arg === '--version' || arg === '-V'))
    program.version((await import('./version.ts')).packageVersion());
  else program.option('-V, --version', 'the version of this program');
  const asked = word === 'help' ? commandWord(args.slice(args.indexOf('help') + 1)) : word;
  for (const entry of COMMANDS) {
    const command = program.command(entry.name).summary(entry.summary).description(entry.summary);
    if (entry.alias !== undefined) command.alias(entry.alias);
    if (asked !== undefined && (asked === entry.name || asked === entry.alias))
      (await entry.load())(command, world);
  }
  return program;
}

/** Runs one command line. Resolves with the exit code and never rejects. */
export async function run(args: readonly string[], world: World): Promise<number> {
  try {
    const program = await programFor(args, world);
    await program.parseAsync(args, { from: 'user' });
    return world.exitCode;
  } catch (error) {
    // Commander has already printed its message. Help and version end this way too.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : refused(args);
    if (error instanceof OperatingError) {
      world.err(`Error: ${error.message}\n`);
      return refused(args);
    }
    if (world.env['ORRERY_TRACE'] !== undefined && error instanceof Error) world.err(`${error.stack}\n`);
    else world.err(`Error: internal error: ${firstLine(error)} (ORRERY_TRACE=1 shows where)\n`);
    return isSearch(args) ? 3 : 1;
  }
}

/**
 * In these commands exit code 1 means that a failure was found, so bad arguments and internal errors need other codes.
 */
const isSearch = (args: readonly string[]): boolean => ['sim', 'fuzz'].includes(commandWord(args) ?? '');

const refused = (args: readonly string[]): number => (isSearch(args) ? 2 : 1);

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';

/**
 * The whole program: runs and exits with the exit code. Output that cannot be written (a full disk) counts as a
 * failure.
 */
export async function main(args: readonly string[]): Promise<void> {
  let unwritten: Error | undefined;
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      // EPIPE only means that the reader of the pipe has gone.
      if (error.code !== 'EPIPE') unwritten = error;
    });
  const code = await run(args, processWorld());
  // Writes to a pipe are asynchronous, and a failure is reported one turn later.
  await Promise.all([process.stdout, process.stderr].map(written));
  await setImmediate();
  if (unwritten !== undefined) process.stderr.write(`Error: cannot write the output: ${unwritten.message}\n`);
  // Exits explicitly: idle sockets and timers of libraries would keep the process alive.
  process.exit(unwritten === undefined || code !== 0 ? code : refused(args));
}

/** Resolves when everything written to the stream is flushed, or can no longer be. */
const written = (stream: NodeJS.WriteStream): Promise<void> =>
  new Promise((resolve) => stream.write('', () => resolve()));
