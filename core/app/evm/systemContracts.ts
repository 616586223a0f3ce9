import { type Bytes, hex, toHex } from '../../lib/bytes.ts';
import { EMPTY_CODE_HASH } from '../../state/account.ts';
import type { BlockWriteSet } from '../../state/writeSet.ts';
import type { Address, Hash } from '../../types/ids.ts';
import { bigintToFixed } from './numbers.ts';

export interface SystemContract {
  readonly name: string;
  readonly address: Address;
  readonly code: Bytes;
}

/** EIP-2935: hashes of the last 8191 blocks, readable by contracts. */
export const HISTORY_ADDRESS: Address = hex('0000f90827f1c53a10cb7a02335b175320002935');
/** HISTORY_SERVE_WINDOW: size of the ring buffer in slots. */
export const HISTORY_WINDOW = 8191;

const HISTORY_CODE = hex(
  '3373fffffffffffffffffffffffffffffffffffffffe14604657602036036042575f35600143038111604257611fff81430311604257611fff9006545f5260205ff35b5f5ffd5b5f35611fff60014303065500',
);

/** The deterministic deployment proxy that Foundry and Hardhat expect for CREATE2 deployments. */
const DEPLOYER_ADDRESS = hex('4e59b44847b379578588920ca78fbf26c0b4956c');
const DEPLOYER_CODE = hex(
  '7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3',
);

/** Part of the default genesis. Under EIP-155-only policies the proxy's deployment transaction cannot be replayed. */
export const SYSTEM_CONTRACTS: readonly SystemContract[] = [
  { name: 'history storage (EIP-2935)', address: HISTORY_ADDRESS, code: HISTORY_CODE },
  { name: 'deterministic deployment proxy', address: DEPLOYER_ADDRESS, code: DEPLOYER_CODE },
];

/** Slot that holds the hash of block `number`. */
export const historySlot = (number: number): Bytes => bigintToFixed(BigInt(number % HISTORY_WINDOW), 32);

/** EIP-2935 as a plain storage write. Only a chain with the contract's code at the address keeps this history. */
export function writeHistory(writes: BlockWriteSet, parentNumber: number, parentHash: Hash): void {
  const account = writes.account(HISTORY_ADDRESS);
  if (account === undefined || toHex(account.codeHash) === toHex(EMPTY_CODE_HASH)) return;
  writes.putStorage(HISTORY_ADDRESS, historySlot(parentNumber), parentHash);
}
