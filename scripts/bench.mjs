// npm run bench -- NAME: set up what is missing, then measure.
import { build, install } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();
build('bench');
const { main } = await import('../dist/bench/main.js');
await main(process.argv.slice(2));
