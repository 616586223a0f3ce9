// npm start: set up what is missing, then run the devnet in this very process, so that signals and the exit code are its own.
import { build, install } from './setup.mjs';
import { stopWithParent } from './stopWithParent.mjs';

stopWithParent();
install();
build('adapters');
const { main } = await import('../dist/adapters/cli/main.js');
await main(['devnet', ...process.argv.slice(2)]);
