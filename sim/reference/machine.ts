import { sha256 } from '@noble/hashes/sha2.js';
import type { EthHeader } from '../../core/app/chain.ts';
import type { CryptoSuite } from '../../core/crypto/suite.ts';
import { type Bytes, concat, EMPTY } from '../../core/lib/bytes.ts';
import { type CallKind, CallTree } from './calls.ts';
import { type Ending, Frame, type FrameInput, Halt, OUT_OF_GAS, Unknown, words } from './frame.ts';
import { step } from './instructions.ts';
import { list, number, text } from './rlp.ts';
import { Rows } from './rows.ts';
import { delegateOf, type Name, type ReferenceState, toBig, toWord } from './state.ts';

const DEPOSIT_GAS = 200;
const CODE_MAX = 24_576;

export interface Ended {
  readonly ending: Ending;
  readonly gas: number;
  readonly output: Bytes;
  /** The error of a frame that did not end well. */
  readonly error: string | undefined;
}

const faulty = (error: string): Ended => ({ ending: 'fault', gas: 0, output: EMPTY, error });

/** What instructions ask about the transaction. */
export interface TxFacts {
  readonly origin: Name;
  readonly price: bigint;
}

interface Creation {
  readonly caller: Name;
  readonly value: bigint;
  readonly gas: number;
  readonly depth: number;
  readonly code: Bytes;
}

type Precompile = (data: Bytes) => { readonly gas: number; readonly output: Bytes };

const PRECOMPILES: Readonly<Record<number, Precompile>> = {
  2: (data) => ({ gas: 60 + 12 * words(data.length), output: sha256(data) }),
  4: (data) => ({ gas: 15 + 3 * words(data.length), output: data }),
};

/** Addresses of Osaka's precompiles, including those not implemented here. */
export const PRECOMPILE_NAMES: readonly Name[] = [...Array.from({ length: 17 }, (_, i) => i + 1), 256].map(
  (n) => n.toString(16).padStart(40, '0'),
);

/**
 * A second EVM with Osaka's rules, made to be read, not to be fast. It shares no line with the EVM of the nodes. Most
 * precompiles are not implemented (Unknown).
 */
export class Machine {
  readonly state: ReferenceState;
  readonly header: EthHeader;
  readonly chainId: bigint;
  readonly tx: TxFacts;
  readonly calls = new CallTree();
  readonly rows: Rows;
  readonly #suite: Pick<CryptoSuite, 'keccak256'>;
  readonly #hashOf: (height: number) => Bytes | undefined;

  constructor(
    state: ReferenceState,
    header: EthHeader,
    tx: TxFacts,
    world: {
      readonly chainId: bigint;
      readonly suite: Pick<CryptoSuite, 'keccak256'>;
      readonly hashOf: (height: number) => Bytes | undefined;
      readonly rowsMax: number;
    },
  ) {
    this.state = state;
    this.header = header;
    this.tx = tx;
    this.chainId = world.chainId;
    this.#suite = world.suite;
    this.#hashOf = world.hashOf;
    this.rows = new Rows(world.rowsMax);
  }

  keccak(message: Bytes): Bytes {
    return this.#suite.keccak256(message);
  }

  addressOf(from: Bytes, nonce: bigint): Bytes {
    return this.keccak(list([text(from), number(nonce)])).slice(12);
  }

  /** The address of a CREATE2. */
  saltedAddressOf(from: Bytes, salt: bigint, code: Bytes): Bytes {
    return this.keccak(concat(Uint8Array.of(0xff), from, toWord(salt), this.keccak(code))).slice(12);
  }

  /** Known for the last 256 blocks; 0 for any other. */
  blockHash(number: number): bigint {
    const { number: now } = this.header;
    return number < now && number >= now - 256 ? toBig(this.#hashOf(number) ?? EMPTY) : 0n;
  }

  /** Calls the code of an account. The caller pays the value first. A failure leaves nothing behind. */
  run(kind: CallKind, codeOf: Name, input: Omit<FrameInput, 'code'>, value: bigint): Ended {
    const from = kind === 'DELEGATECALL' ? input.self : input.caller;
    this.calls.enter({ kind, from, to: codeOf, value: input.value, gas: input.gas, input: input.data });
    return this.calls.exit(this.#run(codeOf, input, value));
  }

  #run(codeOf: Name, input: Omit<FrameInput, 'code'>, value: bigint): Ended {
    const { state } = this;
    const before = state.checkpoint();
    state.pay(input.caller, -value);
    state.pay(input.self, value);
    const ended = PRECOMPILE_NAMES.includes(codeOf)
      ? precompiled(codeOf, input)
      : this.#execute({ ...input, code: this.#codeOf(codeOf) });
    if (ended.ending !== 'stop') state.revert(before);
    return ended;
  }

  /** Follows one delegation, no further (EIP-7702). */
  #codeOf(name: Name): Bytes {
    const { code } = this.state.account(name);
    const delegate = delegateOf(code);
    if (delegate === undefined) return code;
    return PRECOMPILE_NAMES.includes(delegate) ? EMPTY : this.state.account(delegate).code;
  }

  #execute(input: FrameInput): Ended {
    const frame = new Frame(this, input);
    try {
      for (;;) step(frame);
    } catch (halt) {
      if (!(halt instanceof Halt)) throw halt;
      const { ending, output, error } = halt;
      return { ending, gas: ending === 'fault' ? 0 : frame.gas, output, error };
    }
  }

  create(kind: CallKind, name: Name, made: Creation): Ended {
    const { caller, value, gas, code } = made;
    this.calls.enter({ kind, from: caller, to: name, value, gas, input: code });
    return this.calls.exit(this.#create(name, made));
  }

  #create(name: Name, made: Creation): Ended {
    const { state } = this;
    state.touch(name);
    const { nonce, code: there } = state.account(name);
    if (nonce !== 0n || there.length > 0) return faulty('contract address collision');
    const before = state.checkpoint();
    state.create(name);
    state.put(name, { nonce: 1n });
    state.pay(made.caller, -made.value);
    state.pay(name, made.value);
    const { caller, value, gas, depth, code } = made;
    const ended = this.#execute({
      code,
      self: name,
      caller,
      value,
      data: EMPTY,
      gas,
      isStatic: false,
      depth,
    });
    const { output } = ended;
    const deposit = DEPOSIT_GAS * output.length;
    const refused = ended.ending === 'stop' ? codeRefusal(output, ended.gas >= deposit) : undefined;
    if (ended.ending === 'stop' && refused === undefined) {
      state.put(name, { code: output });
      return { ...ended, gas: ended.gas - deposit };
    }
    state.revert(before);
    return refused === undefined ? ended : faulty(refused);
  }
}

/** Why new code is not stored. */
function codeRefusal(code: Bytes, isPaid: boolean): string | undefined {
  if (code[0] === 0xef) return 'invalid code: must not begin with 0xef';
  if (!isPaid) return 'contract creation code storage out of gas';
  return code.length > CODE_MAX
    ? `max code size exceeded: code size ${code.length} limit ${CODE_MAX}`
    : undefined;
}

function precompiled(name: Name, { data, gas }: Omit<FrameInput, 'code'>): Ended {
  const known = PRECOMPILES[Number(`0x${name}`)];
  if (known === undefined) throw new Unknown(`precompile ${name}`);
  const { gas: price, output } = known(data);
  return price > gas ? faulty(OUT_OF_GAS) : { ending: 'stop', gas: gas - price, output, error: undefined };
}
