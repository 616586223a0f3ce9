/**
 * What a validator must not sign at one height (core/node/silence.ts), saved beside its state until the height is over.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Silence } from '../../core/node/silence.ts';
import { onFile, replaceFile, syncDir } from '../disk/files.ts';
import { OperatingError } from '../operatingError.ts';

export const silencePath = (statePath: string): string =>
  path.join(path.dirname(statePath), 'priv_validator_silence.json');

/** undefined without restriction. Throws OperatingError if the file does not state its height. */
export function loadSilence(statePath: string): Silence | undefined {
  const file = silencePath(statePath);
  if (!existsSync(file)) return undefined;
  const text = onFile('read', file, () => readFileSync(file, 'utf8'));
  const silence = parseSilence(text);
  if (silence !== undefined) return silence;
  throw new OperatingError(
    `${file} is not usable: it says at which height this validator must not vote. Remove it once the chain has ` +
      'passed the height that was signed last',
  );
}

function parseSilence(text: string): Silence | undefined {
  try {
    const { height, mode } = JSON.parse(text) as Partial<Record<keyof Silence, unknown>>;
    if (typeof height !== 'number' || !Number.isSafeInteger(height) || height < 1) return undefined;
    return mode === 'silent' || mode === 'repeat' ? { height, mode } : undefined;
  } catch {
    return undefined;
  }
}

/** Durable when it returns. */
export function saveSilence(statePath: string, silence: Silence): void {
  const file = silencePath(statePath);
  onFile('write', file, () => replaceFile(file, Buffer.from(`${JSON.stringify(silence)}\n`)));
}

export function endSilence(statePath: string): void {
  const file = silencePath(statePath);
  if (!existsSync(file)) return;
  onFile('remove', file, () => {
    rmSync(file);
    syncDir(path.dirname(file));
  });
}
