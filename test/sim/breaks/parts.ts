import type { Break } from './broken.ts';

/** Breaks of blocks that come in several parts. */
export const PARTS: readonly Break[] = [
  {
    id: 'part-of-another-total',
    file: 'core/codec/partSet.ts',
    from: 'if (proof.index !== index || proof.total !== total) {',
    to: 'if (proof.index !== index) {',
    found: ['conduct'],
    scenario: 'parts-of-another-total',
    isSlow: true,
  },
  {
    id: 'first-part-for-the-late',
    file: 'core/gossip/lacks.ts',
    from: 'blocks.loadPart(peer.height, i);',
    to: 'blocks.loadPart(peer.height, 0);',
    found: ['until', 'liveness'],
    scenario: 'blocks-in-parts',
    isSlow: true,
  },
  {
    id: 'first-part-marked-for-all',
    file: 'core/gossip/peerRound.ts',
    from: 'index < this.parts.size) this.parts.add(index);',
    to: 'index < this.parts.size) this.parts.add(0);',
    found: ['conduct'],
    scenario: 'parts-told-once',
    isSlow: true,
  },
  {
    id: 'last-part-logged-alone',
    file: 'core/consensus/intake.ts',
    from: "  persist(e, { kind: 'part', peer, round, part });\n",
    to: "  if (current.parts.isComplete()) persist(e, { kind: 'part', peer, round, part });\n",
    found: ['no_crash'],
    scenario: 'blocks-in-parts',
    isSlow: true,
  },
  {
    id: 'whole-parts-alone',
    file: 'core/consensus/params.ts',
    from: 'Math.floor((blockBytesMax(params) - 1) / PART_BYTES) + 1;',
    to: 'Math.floor(blockBytesMax(params) / PART_BYTES);',
    found: ['conduct'],
    scenario: 'parts-to-the-limit',
    isSlow: true,
  },
  {
    id: 'parts-of-any-length',
    file: 'core/codec/validate.ts',
    from: 'if (index + 1 < total && bytes.length !== PART_BYTES) {',
    to: 'if (index + 1 < total && bytes.length === 0) {',
    found: ['conduct'],
    scenario: 'parts-cut-short',
    isSlow: true,
  },
];
