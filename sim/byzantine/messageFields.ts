/** Fields that a mutation can reach, by message kind. A dot leads into a nested field. */

const BLOCK_ID = (at: string): readonly string[] => [`${at}.hash`, `${at}.parts.total`, `${at}.parts.hash`];
const PART = [
  'part.index',
  'part.bytes',
  'part.proof.total',
  'part.proof.index',
  'part.proof.leafHash',
  'part.proof.aunts',
];
const VOTE = [
  'vote.type',
  'vote.height',
  'vote.round',
  ...BLOCK_ID('vote.blockId'),
  'vote.timestamp.seconds',
  'vote.timestamp.nanos',
  'vote.validatorAddress',
  'vote.validatorIndex',
  'vote.signature',
  'vote.extension',
  'vote.extensionSignature',
];
const HEADER = [
  'version.block',
  'version.app',
  'chainId',
  'height',
  'time.seconds',
  'time.nanos',
  ...BLOCK_ID('lastBlockId'),
  'lastCommitHash',
  'dataHash',
  'validatorsHash',
  'nextValidatorsHash',
  'consensusHash',
  'appHash',
  'lastResultsHash',
  'evidenceHash',
  'proposerAddress',
].map((field) => `block.header.${field}`);
const COMMIT = ['height', 'round', ...BLOCK_ID('blockId'), 'signatures'].map(
  (field) => `block.lastCommit.${field}`,
);

export const MESSAGE_FIELDS = {
  newRoundStep: ['height', 'round', 'step', 'secondsSinceStart', 'lastCommitRound'],
  newValidBlock: ['height', 'round', 'parts.total', 'parts.hash', 'bits', 'isCommit'],
  proposal: [
    'proposal.height',
    'proposal.round',
    'proposal.polRound',
    ...BLOCK_ID('proposal.blockId'),
    'proposal.timestamp.seconds',
    'proposal.timestamp.nanos',
    'proposal.signature',
  ],
  proposalPol: ['height', 'polRound', 'bits'],
  blockPart: ['height', 'round', ...PART],
  vote: VOTE,
  hasVote: ['height', 'round', 'type', 'index'],
  voteSetMaj23: ['height', 'round', 'type', ...BLOCK_ID('blockId')],
  voteSetBits: ['height', 'round', 'type', ...BLOCK_ID('blockId'), 'bits'],
  blockRequest: ['height'],
  noBlockResponse: ['height'],
  blockResponse: [...HEADER, 'block.txs', 'block.evidence', ...COMMIT],
  statusResponse: ['height', 'base'],
  txs: ['txs'],
  evidence: [
    'evidence',
    ...['voteA', 'voteB'].flatMap((vote) => VOTE.map((field) => `evidence.0.${field.replace('vote', vote)}`)),
    'evidence.0.totalVotingPower',
    'evidence.0.validatorPower',
    'evidence.0.timestamp.seconds',
    'evidence.0.timestamp.nanos',
  ],
  addresses: ['addresses', 'addresses.0.id', 'addresses.0.ip', 'addresses.0.port'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type MessageKind = keyof typeof MESSAGE_FIELDS;
export const MESSAGE_KINDS = Object.keys(MESSAGE_FIELDS) as readonly MessageKind[];

/** Kinds of a field by the last part of its path. Fields not listed are numbers. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  bytes: [
    ...['hash', 'leafHash', 'bytes', 'signature', 'extension', 'extensionSignature', 'validatorAddress'],
    ...['lastCommitHash', 'dataHash', 'validatorsHash', 'nextValidatorsHash', 'consensusHash', 'appHash'],
    ...['lastResultsHash', 'evidenceHash', 'proposerAddress'],
  ],
  flag: ['isCommit'],
  step: ['type'],
  text: ['chainId', 'id', 'ip'],
  list: ['aunts', 'bits', 'signatures', 'txs', 'evidence', 'addresses'],
};
export type FieldKind = 'number' | 'bytes' | 'flag' | 'step' | 'text' | 'list';

export function fieldKind(field: string): FieldKind {
  const last = field.split('.').at(-1) ?? '';
  const found = Object.entries(KINDS).find(([, names]) => names.includes(last));
  return (found?.[0] as FieldKind | undefined) ?? 'number';
}

export const MUTATIONS = ['inc', 'dec', 'set', 'repeat_old', 'swap', 'drop'] as const;
export type Mutation = (typeof MUTATIONS)[number];
