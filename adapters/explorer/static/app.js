import { call, explore, Live } from './rpc.js';
import {
  accountLink,
  blockLink,
  clock,
  coins,
  eventView,
  facts,
  h,
  moment,
  mono,
  short,
  shownValue,
  table,
  txLink,
} from './view.js';

const LIVE_ROWS_MAX = 15;
/** Blocks in which the first page looks for transactions of the past. */
const LIVE_DEPTH = 200;
const EVENTS_SHOWN_MAX = 100;
const PAGE_ROWS = 30;

const main = document.getElementById('main');
const live = new Live((isOpen) => {
  document.body.classList.toggle('live', isOpen);
  document.getElementById('status-text').textContent = isOpen ? 'live' : 'connecting';
});

/** What the present page has to end when it is left. */
const leaving = [];
let visit = 0;

const section = (title, ...content) => h('section', {}, h('h2', {}, title), ...content);
const show = (...content) => main.replaceChildren(...content);
const status = (code) =>
  code === 0 ? h('span', { class: 'good' }, 'ok') : h('span', { class: 'bad' }, `failed (${code})`);

const first = (events, key) => events[key]?.[0];

/** A transaction as its event tells it. */
const txRow = (height, events, code) => {
  const [from, to] = [first(events, 'ethereum.sender'), first(events, 'ethereum.recipient')];
  return [
    txLink(first(events, 'tx.hash')),
    blockLink(height),
    from === undefined ? '' : accountLink(from),
    to === undefined ? '' : accountLink(to),
    coins(first(events, 'ethereum.amount') ?? '0'),
    status(code ?? 0),
  ];
};
const TX_COLUMNS = [
  { title: 'Transaction' },
  { title: 'Block' },
  { title: 'From' },
  { title: 'To' },
  { title: 'Value', number: true },
  { title: 'Result' },
];
const BLOCK_COLUMNS = [
  { title: 'Height' },
  { title: 'Time' },
  { title: 'Hash' },
  { title: 'Transactions', number: true },
];

/** Composite keys of a result's events, as a subscription's event has them. */
function keysOf(result, hash) {
  const keys = { 'tx.hash': [hash] };
  for (const { type, attributes } of result.events)
    for (const { key, value } of attributes) {
      const name = `${type}.${key}`;
      keys[name] = [...(keys[name] ?? []), value];
    }
  return keys;
}

const foundRow = ({ hash, height, tx_result }) => txRow(height, keysOf(tx_result, hash), tx_result.code);

async function livePage() {
  const blocks = [];
  const txs = [];
  const blockBox = h('div', { id: 'blocks' });
  const txBox = h('div', { id: 'txs' });
  const draw = () => {
    blockBox.replaceChildren(table(BLOCK_COLUMNS, blocks.slice(0, LIVE_ROWS_MAX), 'No block yet.'));
    txBox.replaceChildren(table(TX_COLUMNS, txs.slice(0, LIVE_ROWS_MAX), 'No transaction yet.'));
  };
  let isDrawing = false;
  const drawSoon = () => {
    if (isDrawing) return;
    isDrawing = true;
    requestAnimationFrame(() => {
      isDrawing = false;
      blocks.splice(LIVE_ROWS_MAX);
      txs.splice(LIVE_ROWS_MAX);
      draw();
    });
  };
  const blockRow = ({ height, time }, hash, count) => [
    blockLink(height),
    clock(time),
    mono(short(hash)),
    String(count),
  ];
  const { block_metas } = await call('blockchain', { minHeight: 0, maxHeight: 0 }).catch(() => ({
    block_metas: [],
  }));
  const shown = Number(block_metas[0]?.header.height ?? 0);
  const past = await call('tx_search', {
    query: `tx.height > ${Math.max(0, shown - LIVE_DEPTH)} AND tx.height <= ${shown}`,
    per_page: LIVE_ROWS_MAX,
    order_by: 'desc',
  }).catch(() => ({ txs: [] }));
  for (const { header, block_id, num_txs } of block_metas)
    blocks.push(blockRow(header, block_id.hash, num_txs));
  txs.push(...past.txs.map(foundRow));
  return {
    content: [h('div', { class: 'columns' }, section('Blocks', blockBox), section('Transactions', txBox))],
    start() {
      draw();
      leaving.push(
        live.subscribe({ query: "tm.event='NewBlock'", from: shown + 1 }, ({ data }) => {
          const { block, block_id } = data.value;
          blocks.unshift(blockRow(block.header, block_id.hash, block.data.txs.length));
          drawSoon();
        }),
        live.subscribe({ query: "tm.event='Tx'", from: shown + 1 }, ({ data, events }) => {
          const { height, result } = data.value.TxResult;
          txs.unshift(txRow(height, events, result.code));
          drawSoon();
        }),
      );
    },
  };
}

async function blockPage(height) {
  const [{ block, block_id }, results] = await Promise.all([
    call('block', { height }),
    call('block_results', { height }),
  ]);
  const found = await call('tx_search', { query: `tx.height = ${height}`, per_page: 100 }).catch(() => ({
    txs: [],
  }));
  const { header, last_commit } = block;
  const signed = last_commit.signatures.filter(({ block_id_flag }) => block_id_flag === 2).length;
  const at = Number(height);
  return {
    content: [
      h(
        'section',
        {},
        h('h1', {}, `Block ${height}`),
        facts([
          ['Hash', mono(block_id.hash)],
          ['Time', moment(header.time)],
          ['Proposer', mono(header.proposer_address)],
          ['Transactions', String(block.data.txs.length)],
          ['App hash before', mono(header.app_hash)],
          ['Signatures for its parent', `${signed} of ${last_commit.signatures.length}`],
          [
            'Neighbours',
            [
              at > 1 ? h('a', { href: `#/block/${at - 1}` }, `← ${at - 1}`) : '',
              ' ',
              h('a', { href: `#/block/${at + 1}` }, `${at + 1} →`),
            ],
          ],
        ]),
      ),
      section('Transactions', table(TX_COLUMNS, found.txs.map(foundRow), 'None.')),
      section('Events of the block', ...(results.finalize_block_events ?? []).map(eventView)),
    ],
  };
}

async function txPage(hash) {
  const tx = await explore('tx', hash);
  const eth = tx.ethereum;
  const both = (address) => [
    accountLink(address.hex, address.hex),
    h('br'),
    accountLink(address.bech32, address.bech32),
  ];
  const { denom } = chain;
  return {
    content: [
      h(
        'section',
        {},
        h('h1', {}, 'Transaction'),
        facts([
          ['Hash (consensus)', mono(tx.hash)],
          ['Hash (Ethereum)', eth === null ? undefined : mono(eth.hash)],
          ['Result', [status(tx.code), tx.log === '' ? '' : ` ${tx.log}`]],
          ['Block', [blockLink(tx.height), `, position ${tx.index}`]],
          ['From', eth === null ? undefined : both(eth.from)],
          ['To', eth === null ? undefined : eth.to === null ? 'a new contract' : both(eth.to)],
          ['Value', eth === null ? undefined : `${coins(eth.value)} (${eth.value} ${denom})`],
          ['Nonce', eth?.nonce],
          ['Gas', `${tx.gasUsed} of ${tx.gasWanted}`],
          ['Size', `${tx.bytes} bytes`],
          [
            'Data',
            eth === null || eth.dataBytes === 0 ? undefined : [mono(eth.data), ` (${eth.dataBytes} bytes)`],
          ],
        ]),
      ),
      section('Events', ...tx.events.map(eventView)),
    ],
  };
}

async function accountPage(text) {
  const account = await explore('account', text);
  const search = (key) =>
    call('tx_search', { query: `ethereum.${key}='${account.hex}'`, per_page: PAGE_ROWS, order_by: 'desc' });
  const [sent, received] = await Promise.all([search('sender'), search('recipient')]);
  return {
    content: [
      h(
        'section',
        {},
        h('h1', {}, account.codeBytes > 0 ? 'Contract' : 'Account'),
        facts([
          ['Ethereum form', mono(account.hex)],
          ['Bech32 form', mono(account.bech32)],
          ['Balance', `${coins(account.balance)} (${account.balance} ${account.denom})`],
          ['Nonce', account.nonce],
          ['Code', account.codeBytes > 0 ? `${account.codeBytes} bytes` : undefined],
          ['As of block', blockLink(account.height)],
        ]),
      ),
      section(`Sent (${sent.total_count})`, table(TX_COLUMNS, sent.txs.map(foundRow), 'Nothing.')),
      section(
        `Received (${received.total_count})`,
        table(TX_COLUMNS, received.txs.map(foundRow), 'Nothing.'),
      ),
    ],
  };
}

const EXAMPLES = [
  "tm.event='NewBlock'",
  "tm.event='Tx'",
  "tm.event='Tx' AND ethereum.amount > 1000000000000000000",
  "tm.event='Tx' AND ethereum_tx.ethereumTxFailed EXISTS",
  "tm.event='Vote'",
];

const EVENT_NAME = /^tendermint\/event\//;

function eventsPage(given) {
  const text = h('input', {
    id: 'query',
    spellcheck: 'false',
    'aria-label': 'Query',
    value: given || "tm.event='Tx'",
  });
  const note = h('p', { id: 'note', class: 'soft' });
  const log = h('div', { id: 'log' });
  let end = () => {};
  let asked = 0;
  let count = 0;
  const follow = async () => {
    end();
    count = 0;
    log.replaceChildren();
    note.className = 'soft';
    note.textContent = '';
    const mine = ++asked;
    const { head } = await explore('chain');
    if (mine !== asked) return;
    end = live.subscribe(
      { query: text.value, from: head + 1 },
      ({ data, events, query }) => {
        note.textContent = `${++count} events of ${query}`;
        const rows = Object.entries(events).map(([key, values]) => [
          key,
          values.flatMap((value) => [shownValue(value), h('br')]),
        ]);
        log.prepend(
          h('div', { class: 'event' }, h('strong', {}, data.type.replace(EVENT_NAME, '')), facts(rows)),
        );
        while (log.childElementCount > EVENTS_SHOWN_MAX) log.lastChild.remove();
      },
      (error) => {
        note.className = 'bad';
        note.textContent = error.message;
      },
    );
    note.textContent = 'Listening.';
  };
  const examples = EXAMPLES.map((example) =>
    h(
      'button',
      {
        type: 'button',
        class: 'plain',
        onclick: () => {
          text.value = example;
          follow();
        },
      },
      example,
    ),
  );
  const form = h(
    'form',
    {
      class: 'ask',
      onsubmit: (event) => {
        event.preventDefault();
        follow();
      },
    },
    text,
    h('button', { type: 'submit' }, 'Listen'),
  );
  return {
    content: [
      h('section', {}, h('h1', {}, 'Events'), form, h('div', { class: 'examples' }, examples), note),
      h('section', {}, log),
    ],
    start() {
      leaving.push(() => {
        asked++;
        end();
      });
      follow();
    },
  };
}

const nothing = (text) => ({ content: [h('section', {}, h('h1', {}, 'Nothing found'), h('p', {}, text))] });

async function searchPage(text) {
  const { head } = await explore('chain');
  const found = await explore('find', text);
  if (found.kind === 'none')
    return {
      ...nothing(`“${text}” is no height, hash or address that this node knows. The next block may have it.`),
      start: () => leaving.push(live.subscribe({ query: "tm.event='NewBlock'", from: head + 1 }, navigate)),
    };
  const name = found.height ?? found.hash ?? found.address;
  return { elsewhere: `#/${found.kind}/${name}` };
}

function pageFor(hash) {
  const [, kind = '', argument = ''] = hash.split('/');
  const text = decodeURIComponent(argument);
  if (kind === 'block') return blockPage(text);
  if (kind === 'tx') return txPage(text);
  if (kind === 'account') return accountPage(text);
  if (kind === 'events') return eventsPage(text);
  if (kind === 'search') return searchPage(text);
  return livePage();
}

async function navigate() {
  const mine = ++visit;
  for (const leave of leaving.splice(0)) leave();
  let page;
  try {
    page = await pageFor(location.hash);
  } catch (error) {
    page = nothing(error.message);
  }
  // What was asked for since goes before a late answer.
  if (mine !== visit) return;
  if (page.elsewhere !== undefined) {
    location.replace(page.elsewhere);
    return;
  }
  show(...page.content);
  page.start?.();
}

document.getElementById('search').addEventListener('submit', (event) => {
  event.preventDefault();
  const box = document.getElementById('search-text');
  if (box.value.trim() === '') return;
  location.hash = `#/search/${encodeURIComponent(box.value.trim())}`;
});
window.addEventListener('hashchange', navigate);

const chain = await explore('chain');
document.getElementById('chain').textContent =
  `${chain.chainId} · EVM chain ${chain.evmChainId} · ${chain.moniker} · Orrery ${chain.version}`;
await navigate();
