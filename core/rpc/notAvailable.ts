/** CometBFT's words for a height below the lowest block that a node has (rpc/core/env.go). */
export const notAvailable = (height: number | bigint, lowest: number): string =>
  `height ${height} is not available, lowest height is ${lowest}`;
