/** Names on the wire (docs: one account, two faces). `cosmos.*` keeps its packages, our own types are `chain.*`. */
export const TYPE_URL = {
  ethAccount: '/chain.types.v1.EthAccount',
  ethPubKey: '/chain.crypto.v1.ethsecp256k1.PubKey',
  msgEthereumTx: '/chain.evm.v1.MsgEthereumTx',
  msgEthereumTxResponse: '/chain.evm.v1.MsgEthereumTxResponse',
  extensionEthereumTx: '/chain.evm.v1.ExtensionOptionsEthereumTx',
  baseAccount: '/cosmos.auth.v1beta1.BaseAccount',
} as const;
