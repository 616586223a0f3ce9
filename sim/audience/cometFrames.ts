/** What the consensus websocket is asked by audiences, and how they name what it tells. */

/** Of one line two spellings, which are one subscription. */
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

/** Where each kind of event says its height. */
export interface Value {
  readonly height?: string;
  readonly header?: { readonly height?: string | number };
  readonly block?: { readonly header: { readonly height?: string | number } };
  readonly TxResult?: { readonly height?: string; readonly index?: number | undefined };
}

/** Names an event: its kind, where it is in the chain, and whether the node said where. */
export const placeOf = (
  type: string,
  { height, header, block, TxResult }: Value,
  isPlaced: boolean,
): string =>
  `${type} ${height ?? header?.height ?? block?.header.height ?? TxResult?.height ?? ''}/${TxResult?.index ?? 0}${isPlaced ? '!' : ''}`;

/** The event that a frame tells of; undefined for an answer. */
export const toldIn = ({ result }: Frame): string | undefined =>
  result?.data &&
  placeOf(
    result.data.type.slice('tendermint/event/'.length),
    result.data.value,
    result.position !== undefined,
  );
