// Building blocks. Every text of the chain becomes a text node: markup in it stays text.

/** `h('a', { href }, 'text', child)`; a list of children may be nested. */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === 'onclick' || name === 'onsubmit') element[name] = value;
    else if (value !== undefined) element.setAttribute(name, value);
  }
  element.append(
    ...children.flat(Number.POSITIVE_INFINITY).filter((child) => child !== undefined && child !== null),
  );
  return element;
}

export const mono = (text) => h('span', { class: 'mono' }, text);
export const short = (text, head = 8) =>
  text.length > head + 6 ? `${text.slice(0, head)}…${text.slice(-4)}` : text;
export const blockLink = (height) => h('a', { href: `#/block/${height}` }, String(height));
export const txLink = (hash, text = short(hash)) =>
  h('a', { href: `#/tx/${hash}`, class: 'mono', title: hash }, text);
export const accountLink = (address, text = short(address)) =>
  h('a', { href: `#/account/${address}`, class: 'mono', title: address }, text);

/** Rows of label and value; undefined values are left out. */
export const facts = (rows) =>
  h(
    'dl',
    {},
    rows
      .filter(([, value]) => value !== undefined)
      .map(([label, value]) => [h('dt', {}, label), h('dd', {}, value)]),
  );

export function table(columns, rows, empty) {
  if (rows.length === 0) return h('p', { class: 'soft' }, empty);
  const head = columns.map(({ title, number }) => h('th', number ? { class: 'number' } : {}, title));
  const cells = (row) => columns.map(({ number }, i) => h('td', number ? { class: 'number' } : {}, row[i]));
  return h(
    'table',
    {},
    h('thead', {}, h('tr', {}, head)),
    h(
      'tbody',
      {},
      rows.map((row) => h('tr', {}, cells(row))),
    ),
  );
}

/** 10^18 smallest units are one coin; whole digits, nothing rounded. */
export function coins(amount) {
  const digits = amount.padStart(19, '0');
  const [whole, part] = [digits.slice(0, -18), digits.slice(-18).replace(/0+$/, '')];
  return part === '' ? whole : `${whole}.${part}`;
}

export const clock = (time) => new Date(time).toLocaleTimeString();
export const moment = (time) => `${new Date(time).toLocaleString()} (${time})`;

const IS_ADDRESS = /^(0x[0-9a-fA-F]{40}|[a-z]+1[02-9ac-hj-np-z]{38})$/;
const IS_HASH = /^(0x)?[0-9a-fA-F]{64}$/;

/** A value of an event, as a link when it names something. */
export function shownValue(value) {
  if (IS_ADDRESS.test(value)) return accountLink(value, value);
  if (IS_HASH.test(value)) return txLink(value.replace(/^0x/, ''), value);
  return mono(value);
}

export const eventView = ({ type, attributes }) =>
  h(
    'div',
    { class: 'event' },
    h('strong', {}, type),
    facts(attributes.map(({ key, value }) => [key, shownValue(value)])),
  );
