// npm run test:state -- DIR: set up what is missing, then run the General State Tests under DIR.
import { build, install } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();
build('bench');
const { main } = await import('../dist/bench/stateTests/main.js');
await main(process.argv.slice(2));
