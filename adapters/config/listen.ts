import { parseListenAddress } from '../http/listenAddress.ts';
import { type Field, text } from './field.ts';

/** A listen address; an empty one switches the server off. */
export const listenAt = (comment: string, fallback: string): Field<string> =>
  text(comment, fallback, (value) =>
    value === '' || parseListenAddress(value).ok
      ? undefined
      : 'expected an address such as tcp://127.0.0.1:26657 or 127.0.0.1:8545',
  );
