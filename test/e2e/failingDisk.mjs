/**
 * Loaded before the program (`node --import`): lets a sync fail with EIO once the file ORRERY_TEST_FAULT exists, which
 * names the call: `log` (fdatasync of the log) or `state` (datasync of the signer's state).
 */
import { createRequire, syncBuiltinESMExports } from 'node:module';

const require = createRequire(import.meta.url);
const fs = require('node:fs');
const fsPromises = require('node:fs/promises');
const file = process.env.ORRERY_TEST_FAULT;
const isDue = (name) => fs.existsSync(file) && fs.readFileSync(file, 'utf8') === name;
const failure = () => Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO', errno: -5 });

const { fdatasync } = fs;
fs.fdatasync = (fd, done) => {
  if (isDue('log')) process.nextTick(done, failure());
  else fdatasync(fd, done);
};

const { open } = fsPromises;
fsPromises.open = async (path, ...rest) => {
  const handle = await open(path, ...rest);
  if (!String(path).includes('priv_validator_state.json')) return handle;
  const datasync = handle.datasync.bind(handle);
  handle.datasync = () => (isDue('state') ? Promise.reject(failure()) : datasync());
  return handle;
};
syncBuiltinESMExports();
