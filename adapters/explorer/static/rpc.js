// The node's consensus RPC, over one websocket that is opened again when it breaks, and a few plain requests.

const RETRY_MS_MAX = 10_000;

/** JSON of a GET on this node. Throws with the node's own words. */
export async function getJson(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } });
  const body = await response.json();
  if (body.error !== undefined && body.error !== null)
    throw new Error(typeof body.error === 'string' ? body.error : body.error.data || body.error.message);
  return body;
}

/** A method of the consensus RPC as a URI call; texts are quoted as it wants them. */
export async function call(method, args = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(args))
    query.set(name, typeof value === 'string' ? JSON.stringify(value) : String(value));
  return (await getJson(`/${method}?${query}`)).result;
}

export const explore = (name, q = '') => getJson(`/explorer/api/${name}?${new URLSearchParams({ q })}`);

/**
 * Subscriptions that outlive the socket. Each event tells its position, so after a break a subscription goes on from
 * the height it was told of last, and what it knows of that height already is skipped: nothing missing, nothing twice.
 */
export class Live {
  #socket;
  #ids = 0;
  #wanted = new Map();
  #retryMs = 500;
  #onState;

  constructor(onState) {
    this.#onState = onState;
    this.#open();
  }

  /** `onEvent(result)` for each event from a height on; returns the function that ends the subscription. */
  subscribe({ query, from }, onEvent, onError = () => {}) {
    const id = ++this.#ids;
    const wanted = { id, query, onEvent, onError, height: from, event: -1 };
    this.#wanted.set(id, wanted);
    this.#ask(wanted);
    return () => {
      if (this.#wanted.delete(id) && this.#isOpen) this.#send(`u${id}`, 'unsubscribe', { query });
    };
  }

  get #isOpen() {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  #open() {
    const scheme = location.protocol === 'https:' ? 'wss' : 'ws';
    this.#socket = new WebSocket(`${scheme}://${location.host}/websocket`);
    this.#socket.onopen = () => {
      this.#retryMs = 500;
      this.#onState(true);
      for (const wanted of this.#wanted.values()) this.#ask(wanted);
    };
    this.#socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
    this.#socket.onclose = () => {
      this.#onState(false);
      setTimeout(() => this.#open(), this.#retryMs);
      this.#retryMs = Math.min(this.#retryMs * 2, RETRY_MS_MAX);
    };
  }

  #ask({ id, query, height }) {
    if (this.#isOpen) this.#send(id, 'subscribe', { query, from_height: String(height) });
  }

  #send(id, method, params) {
    this.#socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  }

  #receive({ id, result, error }) {
    const wanted = this.#wanted.get(id);
    if (wanted === undefined) return;
    if (error !== undefined) {
      wanted.onError(new Error(error.data || error.message));
      return;
    }
    if (result.data === undefined || !isNews(wanted, result.position)) return;
    wanted.onEvent(result);
  }
}

/** Notes how far the subscription has come. What happens between blocks has no position and is never told again. */
function isNews(wanted, position) {
  if (position === undefined) return true;
  const height = Number(position.height);
  if (height < wanted.height || (height === wanted.height && position.event_index <= wanted.event))
    return false;
  [wanted.height, wanted.event] = [height, position.event_index];
  return true;
}
