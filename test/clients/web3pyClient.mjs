// A program of `npm run test:clients`: web3.py against the devnet. Installed into the cache folder of the clients;
// without Python it is skipped.
import path from 'node:path';
import { runPython } from './pythonProgram.mjs';

const { ORRERY_HTTP: http, ORRERY_WS: ws } = process.env;
runPython(path.join(import.meta.dirname, 'web3py'), 'python', 'web3.py', [http, ws]);
