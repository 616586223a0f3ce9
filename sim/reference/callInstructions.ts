import { EMPTY, hex, toHex } from '../../core/lib/bytes.ts';
import { type Frame, fault, Halt, STEP_UNPAID, words } from './frame.ts';
import { accountGas, nameOf, type Table } from './instruction.ts';
import { delegateOf, type Name } from './state.ts';

const [LOOK_GAS, VALUE_GAS, STIPEND, NEW_ACCOUNT_GAS] = [100, 9000, 2300, 25_000];
const [CREATE_GAS, DESTROY_GAS, COLD_GAS, DEPTH_MAX, INIT_CODE_MAX] = [32_000, 5000, 2600, 1024, 49_152];

/** All but one 64th (EIP-150). */
const most = (gas: number): number => gas - Math.floor(gas / 64);

type Kind = 'call' | 'code' | 'delegate' | 'static';
const NAMES = { call: 'CALL', code: 'CALLCODE', delegate: 'DELEGATECALL', static: 'STATICCALL' } as const;

/** Why a call or creation gets no frame of its own. */
function refusalOf({ machine, input }: Frame, value: bigint): string | undefined {
  if (input.depth >= DEPTH_MAX) return 'max call depth exceeded';
  return machine.state.account(input.self).balance < value ? 'insufficient balance for transfer' : undefined;
}

function call(f: Frame, kind: Kind): void {
  const { machine, input } = f;
  const { state } = machine;
  const asked = f.popSize();
  const to = nameOf(f.pop());
  const value = kind === 'call' || kind === 'code' ? f.pop() : 0n;
  const [inAt, inSize, outAt, outSize] = [f.popSize(), f.popSize(), f.popSize(), f.popSize()];
  f.use(LOOK_GAS);
  if (value !== 0n && kind === 'call') f.mayWrite();
  f.use(accountGas(f, to) - LOOK_GAS, STEP_UNPAID);
  f.mayReach(inAt, inSize);
  f.mayReach(outAt, outSize);
  f.reach(inAt, inSize, STEP_UNPAID);
  f.reach(outAt, outSize, STEP_UNPAID);
  // CALLCODE moves no value to the called account.
  const isNew = value !== 0n && kind !== 'code' && !state.exists(to);
  if (value !== 0n) f.use(VALUE_GAS + (isNew ? NEW_ACCOUNT_GAS : 0), STEP_UNPAID);
  const delegate = delegateOf(state.account(to).code);
  if (delegate !== undefined) f.use(accountGas(f, delegate), STEP_UNPAID);
  const given = Math.min(asked, most(f.gas));
  f.use(given);
  f.charged();
  const gas = given + (value === 0n ? 0 : STIPEND);
  f.returned = new Uint8Array(0);
  const data = f.read(inAt, inSize);
  const refusal = refusalOf(f, value);
  if (refusal !== undefined) {
    const shown = kind === 'delegate' ? input.value : value;
    const entry = { kind: NAMES[kind], from: input.self, to, value: shown, gas, input: data };
    machine.calls.refused(entry, refusal);
    f.gas += gas;
    return f.push(0n);
  }
  const isStatic = input.isStatic || kind === 'static';
  const common = { data, gas, isStatic, depth: input.depth + 1 };
  const ended =
    kind === 'delegate'
      ? machine.run(
          'DELEGATECALL',
          to,
          { ...common, self: input.self, caller: input.caller, value: input.value },
          0n,
        )
      : machine.run(
          NAMES[kind],
          to,
          { ...common, self: kind === 'code' ? input.self : to, caller: input.self, value },
          value,
        );
  f.gas += ended.gas;
  f.returned = ended.output;
  f.write(outAt, ended.output.slice(0, Math.min(outSize, ended.output.length)));
  f.push(ended.ending === 'stop' ? 1n : 0n);
}

function create(f: Frame, isSalted: boolean): void {
  f.use(CREATE_GAS);
  f.mayWrite();
  const { machine, input } = f;
  const { state } = machine;
  const [value, at, size] = [f.pop(), f.popSize(), f.popSize()];
  const salt = isSalted ? f.pop() : 0n;
  f.mayReach(at, size);
  if (size > INIT_CODE_MAX)
    throw fault(`out of gas: max initcode size exceeded: code size ${size} limit ${INIT_CODE_MAX}`);
  f.use((isSalted ? 8 : 2) * words(size));
  const code = f.read(at, size);
  f.returned = new Uint8Array(0);
  const { nonce } = state.account(input.self);
  const gas = most(f.gas);
  const name: Name = toHex(
    isSalted
      ? machine.saltedAddressOf(hex(input.self), salt, code)
      : machine.addressOf(hex(input.self), nonce),
  );
  const kind = isSalted ? 'CREATE2' : 'CREATE';
  const refusal = refusalOf(f, value);
  if (refusal !== undefined) {
    machine.calls.refused({ kind, from: input.self, to: name, value, gas, input: code }, refusal);
    return f.push(0n);
  }
  f.charged();
  f.use(gas);
  state.put(input.self, { nonce: nonce + 1n });
  const ended = machine.create(kind, name, {
    caller: input.self,
    value,
    gas,
    depth: input.depth + 1,
    code,
  });
  f.gas += ended.gas;
  if (ended.ending === 'revert') f.returned = ended.output;
  f.push(ended.ending === 'stop' ? BigInt(`0x${name}`) : 0n);
}

/** EIP-6780: only a contract created in the same transaction is destroyed; any other only pays out its balance. */
function selfDestruct(f: Frame): void {
  f.use(DESTROY_GAS);
  f.mayWrite();
  const { state } = f.machine;
  const { self } = f.input;
  const to = nameOf(f.pop());
  const { balance } = state.account(self);
  const isCold = !state.touch(to);
  if (isCold) f.use(COLD_GAS, STEP_UNPAID);
  if (balance !== 0n && !state.exists(to)) f.use(NEW_ACCOUNT_GAS);
  f.machine.calls.destroyed(self, to, balance);
  const isNew = state.created.has(self);
  if (to !== self || isNew) state.pay(self, -balance);
  if (to !== self) state.pay(to, balance);
  if (isNew) state.destroy(self);
  throw new Halt('stop', EMPTY);
}

export const CALLS: Table = {
  240: (f) => create(f, false),
  241: (f) => call(f, 'call'),
  242: (f) => call(f, 'code'),
  244: (f) => call(f, 'delegate'),
  245: (f) => create(f, true),
  250: (f) => call(f, 'static'),
  255: selfDestruct,
};
