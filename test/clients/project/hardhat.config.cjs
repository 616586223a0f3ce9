require('@nomicfoundation/hardhat-ethers');
require('@openzeppelin/hardhat-upgrades');
const { subtask } = require('hardhat/config');
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names');

const VERSION = '0.8.37';

// The compiler from npm instead of one to be downloaded.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: VERSION,
  longVersion: require('solc').version(),
}));

module.exports = {
  solidity: { version: VERSION, settings: { evmVersion: 'prague', optimizer: { enabled: true, runs: 200 } } },
  networks: { orrery: { url: process.env.ORRERY_HTTP ?? 'http://127.0.0.1:8545' } },
};
