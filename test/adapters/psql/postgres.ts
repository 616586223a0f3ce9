/** A real PostgreSQL server of the test's own, from the programs that the system has; absent where it has none. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const LIBRARY = '/usr/lib/postgresql';

function programs(): string | undefined {
  if (!existsSync(LIBRARY)) return undefined;
  const versions = readdirSync(LIBRARY).filter((version) =>
    existsSync(join(LIBRARY, version, 'bin', 'initdb')),
  );
  return versions.length === 0 ? undefined : join(LIBRARY, versions.sort().at(-1) as string, 'bin');
}

export const POSTGRES = programs();

/** PostgreSQL refuses to run as root; its package made a user for it. */
function account(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

export class Postgres {
  readonly connection: string;
  readonly #folder: string;
  readonly #port: number;
  readonly #user: ReturnType<typeof account>;
  #process: ChildProcess | undefined;

  static async make(): Promise<Postgres> {
    const folder = mkdtempSync(join(tmpdir(), 'orrery-pg-'));
    const user = account();
    chmodSync(folder, 0o700);
    if (user !== undefined) chownSync(folder, user.uid, user.gid);
    const bin = POSTGRES as string;
    const flags = [
      '-D',
      join(folder, 'data'),
      '-U',
      'orrery',
      '-A',
      'trust',
      '--no-sync',
      '-E',
      'UTF8',
      '--locale=C',
    ];
    execFileSync(join(bin, 'initdb'), flags, { ...user, stdio: 'ignore', cwd: folder });
    const server = new Postgres(folder, await freePort(), user);
    await server.start();
    return server;
  }

  private constructor(folder: string, port: number, user: ReturnType<typeof account>) {
    this.#folder = folder;
    this.#port = port;
    this.#user = user;
    this.connection = `postgresql://orrery@127.0.0.1:${port}/postgres`;
  }

  async start(): Promise<void> {
    const flags = ['-D', join(this.#folder, 'data'), '-p', String(this.#port), '-h', '127.0.0.1'];
    const quick = ['-k', this.#folder, '-F'];
    const child = spawn(join(POSTGRES as string, 'postgres'), [...flags, ...quick], {
      ...this.#user,
      cwd: this.#folder,
      // It is listened to below, and must not speak another language.
      env: { ...process.env, LC_ALL: 'C' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#process = child;
    await new Promise<void>((resolve, reject) => {
      let said = '';
      child.stderr?.on('data', (data: Buffer) => {
        said += data.toString();
        if (said.includes('ready to accept connections')) resolve();
      });
      child.once('exit', () => reject(new Error(said)));
    });
  }

  /** At once, as after a crash. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGQUIT');
    await gone;
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
