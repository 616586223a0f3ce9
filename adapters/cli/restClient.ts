import { APP_TOML } from '../config/appToml.ts';
import { CLIENT_TOML } from '../config/clientToml.ts';
import { appTomlPath, clientTomlPath } from '../config/home.ts';
import { readSettings } from '../config/nodeConfig.ts';
import { readTable } from '../config/table.ts';
import { OperatingError } from '../operatingError.ts';
import { askConsensus } from './consensusQuery.ts';
import { getJson, httpUrl, postJson } from './getJson.ts';
import { type GlobalOptions, homeFrom, type World } from './world.ts';
import { toYaml } from './yaml.ts';

export interface RestOptions extends GlobalOptions {
  readonly rest?: string;
  readonly node?: string;
  readonly output?: string;
  readonly height?: string;
}

const CODES: Readonly<Record<number, string>> = {
  2: 'Unknown',
  3: 'InvalidArgument',
  5: 'NotFound',
  12: 'Unimplemented',
  13: 'Internal',
  14: 'Unavailable',
};

/** The text in which the SDK's client reports a node's error status. */
function queryError(body: unknown): string {
  const { code, message } = (body ?? {}) as { code?: unknown; message?: unknown };
  if (typeof code !== 'number') return `unexpected answer of the node: ${JSON.stringify(body)}`;
  return `rpc error: code = ${CODES[code] ?? code} desc = ${message}`;
}

/**
 * Queries the node that flags or the home name: over REST, or over its consensus RPC if that is given or REST is off.
 */
export class RestClient {
  readonly home: string;
  /** Chain id in client.toml; empty if not set. */
  readonly chainId: string;
  readonly #options: RestOptions;
  readonly #world: World;
  /** URL of the consensus RPC; undefined means REST. */
  readonly #node: string | undefined;
  readonly #url: string;
  readonly #isJson: boolean;

  constructor(options: RestOptions, world: World) {
    this.#options = options;
    this.#world = world;
    this.home = homeFrom(options, world);
    const flags = new Map(options.output === undefined ? [] : [['output', options.output] as const]);
    const file = readSettings(clientTomlPath(this.home));
    const client = readTable(CLIENT_TOML, { flags, env: world.env, file })[''];
    this.#isJson = client.output === 'json';
    this.chainId = client['chain-id'];
    const api = this.#configured();
    const isRest = api.enable && client.node === CLIENT_TOML[''].node.fallback;
    const node = options.node ?? (isRest ? undefined : client.node);
    this.#node = options.rest === undefined && node !== undefined ? httpUrl(node) : undefined;
    this.#url = httpUrl(options.rest ?? api.address);
  }

  #configured() {
    const file = readSettings(appTomlPath(this.home));
    return readTable(APP_TOML, { flags: new Map(), env: this.#world.env, file }).api;
  }

  /** Throws OperatingError with the node's error message. */
  async get<T>(path: string): Promise<T> {
    const { height } = this.#options;
    if (this.#node !== undefined) return (await askConsensus(this.#node, 'GET', path, '', height)) as T;
    const headers: Record<string, string> = height === undefined ? {} : { 'x-cosmos-block-height': height };
    const answer = await getJson(`${this.#url}${path}`, headers);
    if (answer.status !== 200) throw new OperatingError(queryError(answer.body));
    return answer.body as T;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    if (this.#node !== undefined)
      return (await askConsensus(this.#node, 'POST', path, JSON.stringify(body), undefined)) as T;
    const answer = await postJson(`${this.#url}${path}`, body);
    if (answer.status !== 200) throw new OperatingError(queryError(answer.body));
    return answer.body as T;
  }

  print(value: unknown): void {
    this.#world.out(this.#isJson ? `${JSON.stringify(value)}\n` : toYaml(value));
  }
}
