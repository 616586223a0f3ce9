import { oneOf, text } from './field.ts';

/** client.toml: defaults of the query and key commands. */
export const CLIENT_TOML = {
  '': {
    'chain-id': text('The network.', ''),
    'keyring-backend': oneOf('Where keys are kept. "test" does not protect them.', 'test', ['test', 'file']),
    output: oneOf('Form of what is printed.', 'text', ['text', 'json']),
    node: text('Consensus RPC of the node that is asked.', 'tcp://localhost:26657'),
  },
} as const;
