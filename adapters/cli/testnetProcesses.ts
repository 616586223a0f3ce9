import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { loadNodeConfig } from '../config/nodeConfig.ts';
import { onFile } from '../disk/files.ts';
import { showAddress } from '../http/listenAddress.ts';
import { OperatingError } from '../operatingError.ts';
import { StopSignals } from './stopSignals.ts';
import type { World } from './world.ts';

/** A node that has not stopped after this time is killed. */
const STOP_MS_MAX = 15_000;

interface Member {
  readonly name: string;
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  isOver: boolean;
}

/** Runs `orrery start` for each home until a signal arrives or all nodes have ended. */
export async function runTestnet(homes: readonly string[], world: World): Promise<void> {
  const program = process.argv[1];
  if (program === undefined) throw new OperatingError('cannot tell which program to start');
  const members = homes.map((home) => startMember(program, home, world));
  const kill = (): void => {
    for (const { child, isOver } of members) if (!isOver) child.kill('SIGKILL');
  };
  const signals = new StopSignals({
    stop: () => {
      for (const { child } of members) child.kill('SIGTERM');
      setTimeout(kill, STOP_MS_MAX).unref();
    },
    hurry: kill,
  });
  signals.listen();
  try {
    await Promise.all(
      members.map(async (member) => {
        await member.ended;
        if (!signals.isAsked) world.err(`${member.name} ${endOf(member.child)}\n`);
      }),
    );
  } finally {
    signals.unlisten();
  }
  if (!signals.isAsked) throw new OperatingError('all nodes have ended');
  world.out('stopped\n');
}

function startMember(program: string, home: string, world: World): Member {
  const name = path.basename(home);
  const logFile = path.join(home, 'node.log');
  const config = loadNodeConfig(home, new Map(), world.env);
  const log = onFile('open', logFile, () => openSync(logFile, 'a'));
  const child = spawn(process.execPath, [...process.execArgv, program, 'start', '--home', home], {
    // Own process group: Ctrl-C reaches only this process, which then stops the nodes.
    detached: true,
    stdio: ['ignore', log, log],
  });
  closeSync(log);
  const member: Member = {
    name,
    child,
    isOver: false,
    ended: new Promise((resolve) => {
      const over = (): void => {
        member.isOver = true;
        resolve();
      };
      child.once('exit', over);
      child.once('error', over);
    }),
  };
  const at = (label: string, listen: Parameters<typeof showAddress>[0] | undefined): string =>
    listen === undefined ? '' : `  ${label} ${showAddress(listen)}`;
  world.out(
    `${name}  pid ${child.pid}${at('p2p', config.p2p.listen)}${at('rpc', config.consensusRpc.listen)}${at('json-rpc', config.jsonRpc.listen)}  log ${logFile}\n`,
  );
  return member;
}

/** A killed process could not log the reason. */
const endOf = ({ signalCode }: ChildProcess): string =>
  signalCode === null ? 'has ended; its log says why' : `was killed by ${signalCode}`;
