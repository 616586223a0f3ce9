/** Queries that audiences send to CometBFT's websocket, and how audiences name the events that they get. */

/** Spellings in one line are the same subscription. */
export const QUERIES: readonly (readonly [string, ...string[]])[] = [
  ["tm.event = 'NewBlock'", "tm.event='NewBlock'"],
  ["tm.event = 'NewBlockHeader'"],
  ["tm.event = 'Tx'", "tm.event   = 'Tx'"],
  ['tm.event EXISTS'],
];

export interface Frame {
  readonly id: number;
  readonly error?: { readonly message?: string; readonly data?: string };
  readonly result?: {
    readonly data?: { readonly type: string; readonly value: Value };
    readonly position?: object;
  };
}

/** The fields in which the kinds of events have their height. */
export interface Value {
  readonly height?: string;
  readonly header?: { readonly height?: string | number };
  readonly block?: { readonly header: { readonly height?: string | number } };
  readonly TxResult?: { readonly height?: string; readonly index?: number | undefined };
}

/** Names an event by its kind and place in the chain, with `!` if the node gave its position. */
export const placeOf = (
  type: string,
  { height, header, block, TxResult }: Value,
  isPlaced: boolean,
): string =>
  `${type} ${height ?? header?.height ?? block?.header.height ?? TxResult?.height ?? ''}/${TxResult?.index ?? 0}${isPlaced ? '!' : ''}`;

/** The event in a frame; undefined if the frame is an answer. */
export const toldIn = ({ result }: Frame): string | undefined =>
  result?.data &&
  placeOf(
    result.data.type.slice('tendermint/event/'.length),
    result.data.value,
    result.position !== undefined,
  );
