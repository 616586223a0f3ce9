/** A real Chromium, driven over its debugging protocol; absent where none is installed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
export const CHROMIUM = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((file) => existsSync(file));

interface Reply {
  readonly id?: number;
  readonly method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own shapes.
  readonly params?: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly result?: any;
  readonly error?: { readonly message: string };
}

export class Browser {
  /** What the page complained of: exceptions, and violations of its policy. */
  readonly complaints: string[] = [];
  readonly #process: ChildProcess;
  readonly #profile: string;
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #onLoaded = (): void => {};
  #ids = 0;

  static async open(): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'orrery-browser-'));
    const look = ['--headless=new', '--no-sandbox', '--disable-gpu', '--window-size=1400,800'];
    const flags = [...look, '--remote-debugging-port=0', `--user-data-dir=${profile}`];
    const child = spawn(CHROMIUM as string, [...flags, 'about:blank'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      // A group of its own: its helpers write into the profile, and end with it.
      detached: true,
    });
    let endpoint: string | undefined;
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
      endpoint = /DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (endpoint !== undefined) break;
    }
    const port = new URL(endpoint as string).port;
    const pages = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
      type: string;
      webSocketDebuggerUrl: string;
    }[];
    const socket = new WebSocket(pages.find(({ type }) => type === 'page')?.webSocketDebuggerUrl as string);
    await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject));
    const browser = new Browser(child, profile, socket);
    for (const domain of ['Runtime', 'Log', 'Page', 'Network']) await browser.#ask(`${domain}.enable`);
    return browser;
  }

  private constructor(child: ChildProcess, profile: string, socket: WebSocket) {
    this.#process = child;
    this.#profile = profile;
    this.#socket = socket;
    socket.on('message', (data) => {
      const reply = JSON.parse(String(data)) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
      if (reply.method === 'Page.loadEventFired') this.#onLoaded();
      if (reply.method === 'Runtime.exceptionThrown')
        this.complaints.push(reply.params.exceptionDetails.exception?.description ?? 'exception');
      if (reply.method === 'Log.entryAdded' && reply.params.entry.level === 'error')
        this.complaints.push(reply.params.entry.text);
    });
  }

  /** Resolves once the page is loaded: until then its scripts do not hear of what is done to it. */
  async goTo(url: string): Promise<void> {
    const isLoaded = new Promise<void>((resolve) => {
      this.#onLoaded = resolve;
    });
    const { loaderId } = await this.#ask('Page.navigate', { url });
    // A change of the fragment loads nothing.
    if (loaderId !== undefined) await isLoaded;
  }

  /** The value of an expression in the page. Throws what it throws. */
  // biome-ignore lint/suspicious/noExplicitAny: whatever the page has.
  async evaluate(expression: string): Promise<any> {
    const { result, exceptionDetails } = await this.#ask('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(`in the page: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value;
  }

  /** Resolves once the expression holds; the page is asked again after each of its own frames. */
  async until(condition: string): Promise<void> {
    const wait = `new Promise((resolve) => { const look = () => (${condition}) ? resolve(true) : setTimeout(look, 20); look(); })`;
    await this.evaluate(wait);
  }

  /** From now on the system asks pages for dark colours. */
  async beDark(): Promise<void> {
    const features = [{ name: 'prefers-color-scheme', value: 'dark' }];
    await this.#ask('Emulation.setEmulatedMedia', { features });
  }

  /** Prints the page. What comes out is not kept. */
  async print(): Promise<void> {
    await this.#ask('Page.printToPDF');
  }

  /** PNG of the page as it is seen. */
  async screenshot(): Promise<Buffer> {
    const { data } = await this.#ask('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(data, 'base64');
  }

  async close(): Promise<void> {
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    this.#socket.close();
    process.kill(-(this.#process.pid as number), 'SIGKILL');
    await gone;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own shapes.
  async #ask(method: string, params: unknown = {}): Promise<any> {
    const id = ++this.#ids;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
    this.#waiting.delete(id);
    if (reply.error !== undefined) throw new Error(`${method}: ${reply.error.message}`);
    return reply.result;
  }
}
