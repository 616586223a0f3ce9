// npm run test:state -- DIR: installs and builds what is missing, then runs the General State Tests in DIR.
import { build, install } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();
build('bench');
const { main } = await import('../dist/bench/stateTests/main.js');
await main(process.argv.slice(2));
