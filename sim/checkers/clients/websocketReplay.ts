import { aheadProblem } from '../../audience/ahead.ts';
import { CometAudience } from '../../audience/comet.ts';
import { EthAudience } from '../../audience/eth.ts';
import { EthPast } from '../../audience/ethPast.ts';
import { PastReader } from '../../audience/pastReader.ts';
import { pendingNewsProblem } from '../../audience/pendingNews.ts';
import { Receipts } from '../../audience/receipts.ts';
import { refusalsProblem } from '../../audience/refusals.ts';
import { roomProblem } from '../../audience/room.ts';
import { Senders } from '../../audience/senders.ts';
import { SlowEthReader } from '../../audience/slowEthReader.ts';
import { SlowReader } from '../../audience/slowReader.ts';
import { Stage } from '../../audience/stage.ts';
import { tracedChainProblem } from '../../audience/tracedChain.ts';
import { type Checker, type CheckerContext, isTolerable } from '../checker.ts';
import { failBy } from '../unanswered.ts';

const AUDIENCES = [CometAudience, EthAudience] as const;

/**
 * At the end of a run one correct node announces its newest blocks again to clients on its websockets. Each client gets
 * every event it subscribed to, once and in order, whatever other clients do; this includes events that it asks for
 * from the past. A client is cut off only when it has left too much unread, and it is told where to go on. Some clients
 * also send transactions signed by keys that the node holds.
 */
export function websocketReplay(context: CheckerContext): Checker {
  const name = 'records';
  return {
    name,
    async finish() {
      const { world, correct } = context;
      const node = correct.find(({ head, state, disk }) => head > 1 && state !== 'halted' && !disk.isDamaged);
      const rpc = node?.node?.rpc;
      if (node === undefined || rpc === undefined || !isTolerable(context)) return;
      const dice = world.choices.stream(`checkers/audience/${context.scenario.name}`);
      const choose = (n: number): number => dice.choose(n);
      const Audience = AUDIENCES[choose(AUDIENCES.length)] as (typeof AUDIENCES)[0];
      try {
        const others = world.choices.stream(`checkers/audience/others/${context.scenario.name}`);
        const chooseOther = (n: number): number => others.choose(n);
        const past = world.choices.stream(`checkers/audience/past/${context.scenario.name}`);
        const choosePast = (n: number): number => past.choose(n);
        const room = world.choices.stream(`checkers/audience/room/${context.scenario.name}`);
        const chooseRoom = (n: number): number => room.choose(n);
        const news = world.choices.stream(`checkers/audience/news/${context.scenario.name}`);
        const chooseNews = (n: number): number => news.choose(n);
        const problem =
          (await new Audience(new Stage(rpc, context.suite), choose).play()) ??
          (await new SlowReader(new Stage(rpc, context.suite), chooseOther).play()) ??
          (await new PastReader(new Stage(rpc, context.suite), choosePast).play()) ??
          (await new EthPast(new Stage(rpc, context.suite), choosePast).play()) ??
          (await new SlowEthReader(new Stage(rpc, context.suite), choosePast).play()) ??
          (await new Senders(new Stage(rpc, context.suite), chooseOther).play()) ??
          (await new Receipts(new Stage(rpc, context.suite), chooseOther).play()) ??
          (await roomProblem(new Stage(rpc, context.suite), chooseRoom)) ??
          (await aheadProblem(new Stage(rpc, context.suite), chooseRoom)) ??
          (await pendingNewsProblem(new Stage(rpc, context.suite), chooseNews)) ??
          (await refusalsProblem(new Stage(rpc, context.suite))) ??
          (await tracedChainProblem(new Stage(rpc, context.suite)));
        if (problem !== undefined)
          context.fail(name, `where ${node.name} tells its last blocks again, ${problem}`);
      } catch (error) {
        failBy(context, node, error);
      }
    },
  };
}
