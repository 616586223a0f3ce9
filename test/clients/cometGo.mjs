// A program of `npm run test:clients`: CometBFT's own Go client against the devnet: all methods, subscriptions, and its
// light client over state proofs. Built into the cache folder of `npm run test:interop`; without Go it is skipped.
import path from 'node:path';
import { runConsensusClient } from './consensusClient.mjs';
import { buildGo } from './goProgram.mjs';

const module = path.resolve(import.meta.dirname, '..', 'interop');
const CHAIN = 'chain_9000-1';
const TRANSACTIONS = 5;

const file = buildGo(module, './client', "CometBFT's client");
const out = await runConsensusClient(file, ({ comet, from }) => [comet, CHAIN, from, String(TRANSACTIONS)]);
if (out === undefined) process.exit(1);
process.stdout.write(`CometBFT's Go client passed: ${JSON.parse(out).checks} checks\n`);
