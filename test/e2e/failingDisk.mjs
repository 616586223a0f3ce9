/**
 * Loaded before the program (`node --import`): lets a sync fail with EIO once the file ORRERY_TEST_FAULT exists, which
 * names the file: `log`, or `state` for the signer's.
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const require = createRequire(import.meta.url);
const fs = require('node:fs');
const file = process.env.ORRERY_TEST_FAULT;
const isDue = (name) => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === name;
const failure = () => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5 });
const isState = (fd) => fs.readlinkSync(`/proc/self/fd/${fd}`).includes('priv_validator_state.json');

const { fdatasync } = fs;
fs.fdatasync = (fd, done) => {
  if (isDue(isState(fd) ? 'state' : 'log')) process.nextTick(done, failure());
  else fdatasync(fd, done);
};
syncBuiltinESMExports();
