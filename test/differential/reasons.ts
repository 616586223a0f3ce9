import type { Request } from './requests.ts';

export interface Difference {
  readonly request: Request;
  /** As `digestOf` has them. */
  readonly ours: string;
  readonly theirs: string;
  readonly node: 'anvil' | 'hardhat';
}

export interface Reason {
  /** Heading in docs/json-rpc-differences.md; a test holds the page to this list. */
  readonly title: string;
  readonly applies: (difference: Difference) => boolean;
}

const isError = (digest: string): boolean => digest.startsWith('error ');

/** Texts of geth's rpc package and its API, with the codes it gives them. */
const GETH_ERRORS: readonly RegExp[] = [
  /^error -32602: (missing value for required argument \d+|non-array args|too many arguments, want at most \d+)$/,
  /^error -32602: invalid argument \d+: json: cannot unmarshal .* into Go value of type [A-Za-z.]+$/,
  /^error -32602: invalid argument \d+: hex (string|number) /,
  /^error -32602: invalid argument \d+: (hex string ""|invalid hex string|invalid hex or decimal integer )/,
  /^error -32602: invalid argument \d+: (cannot specify both|must specify either) BlockHash /,
  /^error -32602: (invalid block range params|invalid hex in storage key: .*)$/,
  /^error -32601: the method \S+ does not exist\/is not available$/,
  /^error -32000: (filter not found|header not found|header for hash not found|transaction not found|unknown account)$/,
  /^error -32000: (typed transaction too short|transaction type not supported|rlp: .*)$/,
  /^error -32000: invalid reward percentile: /,
  /^error -32000: err: .* \(supplied gas \d+\)$/,
  /^error -32000: failed with \d+ gas: /,
  /^error 3: execution reverted: amount is zero$/,
];

/** True when the shapes are equal once `pattern` is taken out of both. */
const equalWithout = ({ ours, theirs }: Difference, pattern: RegExp): boolean => {
  const [a, b] = [ours, theirs].map((shape) =>
    shape
      .replaceAll(pattern, '')
      .replaceAll(/,{2,}/g, ',')
      .replaceAll(/(?<=[{[]),|,(?=[}\]])/g, ''),
  );
  return a === b;
};

export const REASONS: readonly Reason[] = [
  {
    title: "Errors have geth's codes and words",
    applies: ({ ours }) => GETH_ERRORS.some((text) => text.test(ours)),
  },
  {
    title: 'Methods that the other node does not have',
    applies: ({ theirs }) =>
      /^error (-32601|-32004): |^error -32602: Hardhat currently only supports the default tracer/.test(
        theirs,
      ),
  },
  {
    title: 'Parameters that geth takes and the other node refuses',
    applies: ({ ours, theirs }) => !isError(ours) && /^error (-32602|-32000): /.test(theirs),
  },
  {
    title: 'Fields that geth has or has dropped',
    applies: (difference) =>
      equalWithout(
        difference,
        /(\b(totalDifficulty|blockTimestamp|blobGasPrice|yParity|maxUsedGas|blobGasUsed|excessBlobGas|parentBeaconBlockRoot|requestsHash|size|withdrawalsRoot|chainId|codeHash):[a-z]+)|,withdrawals:\[\]|baseFeePerBlobGas:\[hex\],|,?blobGasUsedRatio:\[number\]/g,
      ),
  },
  {
    title: 'The pending block has no hash, miner and nonce yet',
    applies: ({ request, ours }) =>
      request.method === 'eth_getBlockByNumber' && /hash:null,.*miner:null,.*nonce:null/.test(ours),
  },
  {
    title: 'A fee history without percentiles has no rewards',
    applies: (difference) =>
      difference.request.method === 'eth_feeHistory' &&
      equalWithout(difference, /,reward:\[\]|baseFeePerBlobGas:\[hex\],|,?blobGasUsedRatio:\[number\]/g),
  },
  {
    title: '`safe` and `finalized` are the last block',
    applies: ({ request }) => /"(safe|finalized)"/.test(JSON.stringify(request.params)),
  },
  {
    title: 'Contracts of other chains that the configuration does not name',
    applies: ({ request }) => request.method === 'eth_config',
  },
  {
    title: 'Output of the struct logger',
    applies: ({ request, node }) => request.method === 'debug_traceTransaction' && node === 'hardhat',
  },
  {
    title: 'Calls that run although they could not be paid',
    applies: ({ request, theirs }) => /^eth_(call|estimateGas)$/.test(request.method) && isError(theirs),
  },
];
