import { contractAddressOf } from '../../core/app/evm/execute.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { present } from '../../core/lib/assert.ts';
import { type Bytes, concat, hex, toHex } from '../../core/lib/bytes.ts';
import { PPM } from '../world/choices.ts';
import { initCodeOf } from './programs.ts';
import type { Script } from './script.ts';
import { GWEI, IN_FLIGHT_MAX } from './transfers.ts';

const DEPLOY_GAS = 400_000n;
const CALL_GAS = 100_000n;
const FEES = { tip: GWEI, feeCap: 100n * GWEI };

/** keccak256("Transfer(address,address,uint256)") and the selector of transfer(address,uint256). */
const TRANSFER_EVENT = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TRANSFER = 'a9059cbb';
/** Initial balance of everybody: 2^100. A slot holds what was received less what was spent. */
const GRANT = '10000000000000000000000000';

/** `transfer` of an ERC-20 token, assembled by hand, one step per line. */
function tokenCode(): Bytes {
  const check = ['60 24 35', '33 54 6c', GRANT, '01', '81 81 10'].join('');
  const move = ['50', '80 33 54 03 33 55', '60 04 35', '80 54 82 01 81 55'].join('');
  const log = ['90 60 00 52 33 7f', TRANSFER_EVENT, '60 20 60 00 a3'].join('');
  const end = '60 01 60 00 52 60 20 60 00 f3';
  const bytes = (text: string): Bytes => hex(text.replaceAll(' ', ''));
  const body = concat(bytes(move), bytes(log), bytes(end));
  const first = bytes(check);
  // A jump of three bytes lies between this and the revert at the end.
  const revertAt = first.length + 3 + body.length;
  return concat(first, new Uint8Array([0x60, revertAt, 0x57]), body, bytes('5b 60 00 60 00 fd'));
}

/** One token, which the client's accounts send to each other. Some transfers ask for more than anybody has. */
export function erc20Churn(suite: Pick<CryptoSuite, 'keccak256'>, revertPpm: number): Script {
  return (state) => {
    const owner = present(state.accounts[0], 'an account');
    if (!state.isConfirmed(owner, 0)) {
      if (state.nonceOf(owner) > 0) return [];
      const draft = {
        from: owner,
        to: undefined,
        data: initCodeOf(tokenCode()),
        nonce: state.takeNonce(owner),
      };
      return [{ ...draft, value: 0n, gas: DEPLOY_GAS, ...FEES, status: '0x1' }];
    }
    const from = present(state.accounts[state.choices.choose(state.accounts.length)], 'an account');
    if (state.open(from).length >= IN_FLIGHT_MAX) return [];
    const receiver = present(state.accounts[state.choices.choose(state.accounts.length)], 'an account');
    const isTooMuch = state.choices.choose(PPM) < revertPpm;
    const amount = isTooMuch
      ? 'f'.repeat(64)
      : (1 + state.choices.choose(1_000)).toString(16).padStart(64, '0');
    const data = hex(`${TRANSFER}${toHex(receiver.address).padStart(64, '0')}${amount}`);
    const to = contractAddressOf(owner.address, 0n, suite);
    const nonce = state.takeNonce(from);
    return [{ from, to, data, nonce, value: 0n, gas: CALL_GAS, ...FEES, status: isTooMuch ? '0x0' : '0x1' }];
  };
}
