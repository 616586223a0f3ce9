import type { Break } from './broken.ts';

const FOUND = { scenario: 'rolled-back', isSlow: true } as const;

/** Breaks of taking the newest height back. */
export const ROLLBACK: readonly Break[] = [
  {
    id: 'rolled-back-time-of-the-head',
    file: 'core/store/undo.ts',
    from: 'lastBlockTime: before.header.time',
    to: 'lastBlockTime: head.header.time',
    found: ['no_crash'],
    ...FOUND,
  },
  {
    id: 'rolled-back-results-of-before',
    file: 'core/store/undo.ts',
    from: 'lastResultsHash: head.header.lastResultsHash',
    to: 'lastResultsHash: before.header.lastResultsHash',
    found: ['no_crash'],
    ...FOUND,
  },
  {
    id: 'rolled-back-app-hash-stays',
    file: 'core/store/undo.ts',
    from: 'appHash: head.header.appHash',
    to: 'appHash: now.appHash',
    found: ['no_crash'],
    ...FOUND,
  },
  {
    id: 'rolled-back-index-stays',
    file: 'core/node/rollback.ts',
    from: 'ops: [...index, ...undoOps(before), ...block]',
    to: 'ops: [...undoOps(before), ...block]',
    found: ['no_crash'],
    ...FOUND,
  },
  {
    id: 'rolled-back-evidence-stays',
    file: 'core/node/rollback.ts',
    from: '    ...undoEvidenceOps(loadUndone(kv, height).block),\n',
    to: '',
    found: ['no_crash'],
    ...FOUND,
  },
  {
    id: 'rolled-back-for-ever',
    file: 'core/node/rollback.ts',
    from: 'const extraOps = [undoneOver()];',
    to: 'const extraOps: KvOp[] = [];',
    found: ['app_hash'],
    ...FOUND,
  },
  {
    id: 'rolled-back-not-executed-again',
    file: 'core/node/rollback.ts',
    from: 'if (height === undefined) return state;',
    to: 'if (height !== -1) return state;',
    found: ['no_crash'],
    ...FOUND,
  },
  {
    id: 'redone-before-it-is-executed',
    file: 'core/node/rollback.ts',
    from: '  const extraOps = [undoneOver()];',
    to: '  const extraOps: [] = [];\n  await kv.batch([undoneOver()]);',
    found: ['no_crash'],
    scenario: 'crash-while-starting',
  },
  {
    id: 'redone-and-not-told',
    file: 'core/node/rollback.ts',
    from: '    extraOps,\n  });',
    to: '  });\n  await kv.batch(extraOps);',
    found: ['no_crash'],
    scenario: 'crash-while-starting',
    isSlow: true,
  },
  {
    id: 'genesis-in-two-writes',
    file: 'core/store/blockStore.ts',
    from: '    await this.#kv.batch([...stateOps, ...this.genesisOps(input)]);',
    to: '    await this.#kv.batch(this.genesisOps(input));\n    await this.#kv.batch(stateOps);',
    found: ['no_crash'],
    scenario: 'crash-while-starting',
  },
];
