import type { Application, FinalizeReply } from '../types/app.ts';
import type { Height } from '../types/ids.ts';

/** Changes the application's answer to the block of a height. */
export type Amend = (height: Height, reply: FinalizeReply) => FinalizeReply;

/** The application, with its answers to blocks changed by `amend`. */
export const amended = (app: Application, amend: Amend): Application => ({
  checkTx: (tx, recheck) => app.checkTx(tx, recheck),
  propose: (ask) => app.propose(ask),
  validate: (ask) => app.validate(ask),
  finalize: async (ask) => amend(ask.context.height, await app.finalize(ask)),
  commit: (ask) => app.commit(ask),
});
