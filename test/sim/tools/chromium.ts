import { type ChildProcess, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { WebSocket } from 'ws';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** The browser of this machine, if it has one. */
export const chromiumPath = (): string | undefined =>
  (process.env['PATH'] ?? '')
    .split(path.delimiter)
    .flatMap((folder) => NAMES.map((name) => path.join(folder, name)))
    .find((file) => fs.existsSync(file));

/** A headless browser with one page, driven over its debugging socket. */
export class Chromium {
  readonly #child: ChildProcess;
  readonly #socket: WebSocket;
  readonly #profile: string;
  #nextId = 1;

  private constructor(child: ChildProcess, socket: WebSocket, profile: string) {
    this.#child = child;
    this.#socket = socket;
    this.#profile = profile;
  }

  static async open(file: string, url: string): Promise<Chromium> {
    const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'orrery-chromium-'));
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--window-size=1400,800'];
    const child = spawn(
      file,
      [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const port = await new Promise<string>((resolve, reject) => {
      let said = '';
      child.stderr?.on('data', (data) => {
        said += data;
        const match = /DevTools listening on ws:\/\/[^:]+:(\d+)\//.exec(said);
        if (match !== null) resolve(match[1] as string);
      });
      child.on('exit', () => reject(new Error(`the browser ended: ${said}`)));
    });
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`);
    const targets = (await answer.json()) as readonly { type: string; webSocketDebuggerUrl: string }[];
    const page = targets.find((target) => target.type === 'page');
    if (page === undefined) throw new Error('the browser has no page');
    const socket = new WebSocket(page.webSocketDebuggerUrl);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const browser = new Chromium(child, socket, profile);
    await browser.#call('Page.enable', {});
    await browser.#call('Page.navigate', { url });
    return browser;
  }

  /** The value of an expression in the page; promises are awaited there. */
  async evaluate<T>(expression: string): Promise<T> {
    const answer = await this.#call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    return (answer as { result: { value: T } }).result.value;
  }

  /** Waits, in the page, until the expression holds. */
  async until(expression: string): Promise<void> {
    const poll = `new Promise((done) => { const look = () => (${expression}) ? done(true) : setTimeout(look, 50); look(); })`;
    while ((await this.evaluate(poll)) !== true);
  }

  async screenshot(file: string): Promise<void> {
    const { data } = (await this.#call('Page.captureScreenshot', {})) as { data: string };
    fs.writeFileSync(file, Buffer.from(data, 'base64'));
  }

  /** It ends its helpers before itself: a killed one leaves them behind, and they write into the folder that goes. */
  async close(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    const isOver = exitCode !== null || signalCode !== null;
    const ended = new Promise((resolve) => (isOver ? resolve(true) : this.#child.once('exit', resolve)));
    // It may be gone before it answers.
    await Promise.race([this.#call('Browser.close', {}), ended]);
    await ended;
    this.#socket.close();
    fs.rmSync(this.#profile, { recursive: true, force: true });
  }

  #call(method: string, params: object): Promise<unknown> {
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const listen = (data: unknown): void => {
        const message = JSON.parse(String(data)) as { id?: number; result?: unknown; error?: object };
        if (message.id !== id) return;
        this.#socket.off('message', listen);
        if (message.error === undefined) resolve(message.result);
        else reject(new Error(`${method}: ${JSON.stringify(message.error)}`));
      };
      this.#socket.on('message', listen);
      this.#socket.send(JSON.stringify({ id, method, params }));
    });
  }
}
