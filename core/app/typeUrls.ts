/** Type URLs on the wire. `cosmos.*` types keep their package names; this chain's own types are in `chain.*`. */
export const TYPE_URL = {
  ethAccount: '/chain.types.v1.EthAccount',
  ethPubKey: '/chain.crypto.v1.ethsecp256k1.PubKey',
  msgEthereumTx: '/chain.evm.v1.MsgEthereumTx',
  msgEthereumTxResponse: '/chain.evm.v1.MsgEthereumTxResponse',
  extensionEthereumTx: '/chain.evm.v1.ExtensionOptionsEthereumTx',
  baseAccount: '/cosmos.auth.v1beta1.BaseAccount',
  moduleAccount: '/cosmos.auth.v1beta1.ModuleAccount',
  dynamicFee: '/chain.types.v1.ExtensionOptionDynamicFeeTx',
  msgSend: '/cosmos.bank.v1beta1.MsgSend',
  msgMultiSend: '/cosmos.bank.v1beta1.MsgMultiSend',
} as const;

/**
 * An eth_secp256k1 key under this chain's name and under those of related chains, whose wallets can sign for this chain
 * too.
 */
export const ETH_PUB_KEY_URLS: ReadonlySet<string> = new Set([
  TYPE_URL.ethPubKey,
  '/cosmos.evm.crypto.v1.ethsecp256k1.PubKey',
  '/ethermint.crypto.v1.ethsecp256k1.PubKey',
  '/injective.crypto.v1beta1.ethsecp256k1.PubKey',
]);
