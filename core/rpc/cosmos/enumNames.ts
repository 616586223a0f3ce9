/** Names of the enum values in requests and responses, by message and field: numbers on the wire, names in JSON. */
export const ENUM_NAMES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  'cosmos.tx.v1beta1.BroadcastTxRequest.mode': {
    0: 'BROADCAST_MODE_UNSPECIFIED',
    1: 'BROADCAST_MODE_BLOCK',
    2: 'BROADCAST_MODE_SYNC',
    3: 'BROADCAST_MODE_ASYNC',
  },
  'cosmos.tx.v1beta1.GetTxsEventRequest.order_by': {
    0: 'ORDER_BY_UNSPECIFIED',
    1: 'ORDER_BY_ASC',
    2: 'ORDER_BY_DESC',
  },
  'cosmos.tx.v1beta1.ModeInfo.Single.mode': {
    0: 'SIGN_MODE_UNSPECIFIED',
    1: 'SIGN_MODE_DIRECT',
    2: 'SIGN_MODE_TEXTUAL',
    127: 'SIGN_MODE_LEGACY_AMINO_JSON',
  },
};

/** The enum type of each field. */
export const ENUM_TYPES: Readonly<Record<string, string>> = {
  'cosmos.tx.v1beta1.BroadcastTxRequest.mode': 'cosmos.tx.v1beta1.BroadcastMode',
  'cosmos.tx.v1beta1.GetTxsEventRequest.order_by': 'cosmos.tx.v1beta1.OrderBy',
  'cosmos.tx.v1beta1.ModeInfo.Single.mode': 'cosmos.tx.signing.v1beta1.SignMode',
};
