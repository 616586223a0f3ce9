import type { NodeConfig } from '../config/nodeConfig.ts';
import type { Log } from '../nodeOptions.ts';
import type { World } from './world.ts';

const RANK = { debug: 0, info: 1, warn: 2, error: 3, none: 4 } as const;

/** Log lines on stderr, in the form and from the level that the settings ask for. */
export function logTo(world: World, config: Pick<NodeConfig, 'logLevel' | 'logFormat'>): Log {
  return (level, text) => {
    if (RANK[level] < RANK[config.logLevel]) return;
    const time = new Date().toISOString();
    const line =
      config.logFormat === 'json'
        ? JSON.stringify({ time, level, message: text })
        : `${time} ${level.toUpperCase()} ${text}`;
    world.err(`${line}\n`);
  };
}
