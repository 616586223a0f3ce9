// npm start: installs and builds what is missing, then runs the devnet in this process, so that signals reach it and its
// exit code is the devnet's.
import { build, install } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();
build('adapters');
const { main } = await import('../dist/cli/main.js');
await main(['devnet', ...process.argv.slice(2)]);
