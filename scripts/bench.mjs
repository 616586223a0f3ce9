// npm run bench -- NAME: installs and builds what is missing, then runs a measurement.
import { build, install } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();
build('bench');
const { main } = await import('../dist/bench/main.js');
await main(process.argv.slice(2));
