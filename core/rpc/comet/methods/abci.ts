/** Methods of the consensus RPC that ask the application. */
import type { ProofOp } from '../../../app/stateProof.ts';
import { base64Json } from '../../../codec/json.ts';
import { toBase64 } from '../../../lib/base64.ts';
import { EMPTY } from '../../../lib/bytes.ts';
import { answerAbciQuery } from '../../cosmos/abciQuery.ts';
import { heightAfter } from '../../heightSteps.ts';
import { type CometMethod, method } from '../method.ts';

/** `key` and `data` are strings even if empty: clients expect strings. */
const proofOpJson = ({ type, key, data }: ProofOp) => ({
  type,
  key: toBase64(key),
  data: toBase64(data),
});

export const abciMethods: readonly CometMethod[] = [
  method({
    method: 'abci_info',
    args: {},
    caching: 'always',
    doc: 'Name, version and height of the application; zero fields are left out.',
    run: (ctx) => {
      const head = ctx.chain.head();
      const appHash = ctx.chain.results(head)?.appHash ?? EMPTY;
      const app = ctx.chain.params(heightAfter(ctx.chain, head))?.version.app ?? 0;
      return {
        response: {
          data: 'orrery',
          version: ctx.identity.version,
          ...(app === 0 ? {} : { app_version: String(app) }),
          ...(head === 0 ? {} : { last_block_height: String(head) }),
          ...(appHash.length === 0 ? {} : { last_block_app_hash: toBase64(appHash) }),
        },
      };
    },
  }),
  method({
    method: 'abci_query',
    args: { path: 'string', data: 'hex', height: 'int64', prove: 'bool' },
    doc: 'A service query (path is its gRPC name, data its protobuf request) or, with a proof on request, an entry of a store (`/store/modules/key`, `/store/ethereum/key`).',
    run: async (ctx, query) => {
      const answer = await answerAbciQuery(ctx, query);
      return {
        response: {
          code: answer.code,
          log: answer.log,
          info: '',
          index: '0',
          key: base64Json(answer.key),
          value: base64Json(answer.value),
          proofOps: answer.proofOps === undefined ? null : { ops: answer.proofOps.map(proofOpJson) },
          height: String(answer.height),
          codespace: answer.codespace,
        },
      };
    },
  }),
];
