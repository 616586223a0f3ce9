import { mkdirSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, CHROMIUM } from '../support/browser.ts';
import { type Devnet, startDevnet } from './devnet.ts';

const SENDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266';
const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8';
const RECIPIENT_BECH32 = 'chain1wzvhjux9rqfdcwspp37srdgwp5tac7wg75tx5n';

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startDevnet();
});
afterAll(() => devnet?.stop());

async function transfer(): Promise<string> {
  const params = [{ from: SENDER, to: RECIPIENT, value: '0xde0b6b3a7640000' }];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_sendTransaction', params });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(devnet.jsonRpc, { method: 'POST', headers, body });
  return ((await response.json()) as { result: string }).result;
}

test('the page is served with a policy that lets nothing but its own files run', async () => {
  const response = await fetch(`${devnet.consensusRpc}/explorer/`);
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; script-src 'self';/);
  expect(await response.text()).not.toMatch(/<script>|<style|style=|onclick=|https?:/);
  expect((await fetch(`${devnet.consensusRpc}/explorer/nothing.js`)).status).toBe(404);
  expect((await fetch(`${devnet.consensusRpc}/explorer/..%2fexplorer.ts`)).status).toBe(404);
});

describe.skipIf(CHROMIUM === undefined)('in a browser (skipped where Chromium is missing)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await Browser.open();
  });
  afterAll(() => browser?.close());

  const page = (path: string) => browser.goTo(`${devnet.consensusRpc}/explorer/#/${path}`);
  const text = () => browser.evaluate('document.body.innerText') as Promise<string>;
  const keep = async (name: string) => {
    const folder = process.env['ORRERY_SCREENSHOTS'];
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    writeFileSync(`${folder}/${name}.png`, await browser.screenshot());
  };

  test('blocks and transactions appear as they are made', async () => {
    await page('');
    await browser.until("document.querySelectorAll('#blocks tbody tr').length > 0");
    const top = "Number(document.querySelector('#blocks tbody td').innerText)";
    const before = await browser.evaluate(top);
    await browser.until(`${top} > ${before}`);
    await transfer();
    await browser.until("document.querySelectorAll('#txs tbody tr').length === 1");
    const heights = await browser.evaluate(
      "[...document.querySelectorAll('#blocks tbody tr td:first-child')].map((cell) => Number(cell.innerText))",
    );
    expect(heights).toEqual(heights.map((_: number, i: number) => heights[0] - i));
    await keep('live');
  });

  test('any name of a thing leads to it', async () => {
    const find = async (what: string, until: string) => {
      await browser.evaluate(
        `document.getElementById('search-text').value = ${JSON.stringify(what)}; document.getElementById('search').requestSubmit()`,
      );
      await browser.until(`document.body.innerText.includes(${JSON.stringify(until)})`);
    };
    await page('');
    await browser.until("document.getElementById('status-text').innerText === 'live'");
    await find(RECIPIENT_BECH32, 'Ethereum form');
    expect(await text()).toContain(RECIPIENT);
    await keep('account');
    await find(RECIPIENT.toLowerCase(), 'Bech32 form');
    expect(await text()).toContain(RECIPIENT_BECH32);
    // Often before a block has it: the page looks again with each block.
    const hash = await transfer();
    await find(hash, 'Hash (Ethereum)');
    expect(await text()).toContain(hash);
    await keep('tx');
    await find('1', 'Block 1');
    await find('<img src=x onerror=alert(1)>', 'Nothing found');
    expect(await text()).toContain('<img src=x onerror=alert(1)>');
  });

  test('a late answer does not lead away from what was asked for since', async () => {
    await page('');
    await browser.evaluate(`{
      const [ask, held] = [window.fetch, new Promise((resolve) => { window.release = resolve; })];
      window.fetch = async (...asked) => {
        const answer = await ask(...asked);
        if (asked[0].includes('/find?q=1')) await held;
        return answer;
      };
    }`);
    await page('search/1');
    await page(`search/${RECIPIENT}`);
    await browser.until("document.body.innerText.includes('Bech32 form')");
    await browser.evaluate('window.release()');
    await browser.evaluate('new Promise((resolve) => setTimeout(resolve, 0))');
    expect(await browser.evaluate('location.hash')).toBe(`#/account/${RECIPIENT}`);
    expect(await text()).toContain(RECIPIENT_BECH32);
  });

  test('the event log follows a query and tells what is wrong with a bad one', async () => {
    await page(
      `events/${encodeURIComponent(`tm.event='Tx' AND ethereum.recipient='${RECIPIENT.toLowerCase()}'`)}`,
    );
    await browser.until("document.getElementById('note')?.innerText === 'Listening.'");
    await transfer();
    await browser.until("document.querySelectorAll('#log .event').length === 1");
    await keep('events');
    await browser.evaluate(
      "document.getElementById('query').value = 'tm.event='; document.querySelector('.ask').requestSubmit()",
    );
    await browser.until("document.getElementById('note').innerText.startsWith('failed to parse query')");
    expect(browser.complaints).toEqual([]);
  });
});
