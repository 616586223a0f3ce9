import { assert } from '../../core/lib/assert.ts';
import type { Input } from '../../core/node/contract.ts';
import type { Driver } from '../../core/node/driver.ts';
import type { NodeMachine } from '../../core/node/node.ts';

/** Checks that a node handles each input once and in the order in which it came, whatever it waits for meanwhile. */
export function checkInputOrder(driver: Driver, machine: NodeMachine): void {
  let given: Input[] = [];
  let handled = 0;
  const input = driver.input.bind(driver);
  driver.input = (one) => {
    given.push(one);
    input(one);
  };
  const step = machine.step.bind(machine);
  machine.step = (now, one) => {
    assert(given[handled] === one, 'inputs are handled once each, in their order');
    handled += 1;
    if (handled === given.length) [given, handled] = [[], 0];
    return step(now, one);
  };
}
