import { readFileSync } from 'node:fs';

/** Where the node under test is. */
export const HTTP = process.env.ORRERY_HTTP;
export const WS = process.env.ORRERY_WS;
/** The consensus RPC. */
export const COMET = process.env.ORRERY_COMET;
export const CHAIN_ID = 9000;

/** Keys of the well-known mnemonic; each program has one of its own, since they run side by side. */
export const KEYS = [
  '0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a',
  '0x7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6',
  '0x47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a',
  '0x8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba',
];
export const FRIEND = '0x00000000000000000000000000000000000a11ce';

/** As hardhat compiled it. */
export const COIN = JSON.parse(
  readFileSync(new URL('../artifacts/contracts/Coin.sol/Coin.json', import.meta.url), 'utf8'),
);

/** Answers once `done()` is true; fails after a while. */
export async function until(done, what, msMax = 20_000) {
  for (const end = Date.now() + msMax; !done(); await new Promise((resolve) => setTimeout(resolve, 20))) {
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}
