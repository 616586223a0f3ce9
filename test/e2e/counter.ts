import { createRequire } from 'node:module';
import type { Abi, Hex } from 'viem';

const SOURCE = `
// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.0;
contract Counter {
  event Increased(address indexed by, uint256 value);
  uint256 public value;
  constructor(uint256 start) { value = start; }
  function increase(uint256 amount) external {
    require(amount > 0, "amount is zero");
    value += amount;
    emit Increased(msg.sender, value);
  }
}`;

interface Artifact {
  readonly abi: Abi;
  readonly bytecode: Hex;
}

/** A small contract, compiled by solc as any user's. */
export function compileCounter(): Artifact {
  const solc = createRequire(import.meta.url)('solc') as { compile(input: string): string };
  const input = {
    language: 'Solidity',
    sources: { 'Counter.sol': { content: SOURCE } },
    settings: { outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } } },
  };
  const output = JSON.parse(solc.compile(JSON.stringify(input)));
  const { abi, evm } = output.contracts['Counter.sol'].Counter;
  return { abi, bytecode: `0x${evm.bytecode.object}` };
}
