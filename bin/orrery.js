#!/usr/bin/env node
// Starts the command line. In a checkout it first installs and builds what is missing or stale. A package contains its
// build.
import { existsSync } from 'node:fs';

const setup = new URL('../scripts/setup.mjs', import.meta.url);
if (existsSync(setup)) {
  const { build, install } = await import(setup.href);
  install();
  build('adapters');
}
const { main } = await import('../dist/cli/main.js');
await main(process.argv.slice(2));
