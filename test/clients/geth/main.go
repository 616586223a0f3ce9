// go-ethereum's own client (ethclient, gethclient) against a devnet: a transaction of every type, what it recomputes of
// blocks and receipts, subscriptions, traces, proofs. Arguments: URLs of JSON-RPC and of its websocket. Prints how many
// checks held.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strings"
	"time"

	ethereum "github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/tracers"
	"github.com/ethereum/go-ethereum/ethclient"
	"github.com/ethereum/go-ethereum/ethclient/gethclient"
	"github.com/ethereum/go-ethereum/ethdb/memorydb"
	"github.com/ethereum/go-ethereum/rlp"
	"github.com/ethereum/go-ethereum/rpc"
	"github.com/ethereum/go-ethereum/trie"
	"github.com/holiman/uint256"
)

// Account 6 of the well-known mnemonic.
const key = "92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e"

// Answers slot 0 when called with nothing, else stores the word it is given and logs it.
var store = "36600f5760005460005260206000f35b600035806000556000527f" + topic + "60206000a100"

// Reverts with 42.
const reverter = "602a60005260206000fd"

const wait = 30 * time.Second

var (
	topic  = strings.Repeat("ab", 32)
	friend = common.HexToAddress("0x00000000000000000000000000000000000a11ce")
	checks int
)

func must(ok bool, what ...any) {
	if !ok {
		fmt.Fprintln(os.Stderr, append([]any{"not so:"}, what...)...)
		os.Exit(1)
	}
	checks++
}

func get[T any](value T, err error) T {
	must(err == nil, err)
	return value
}

type client struct {
	ctx      context.Context
	eth, ws  *ethclient.Client
	chain    *big.Int
	sender   common.Address
	price    *big.Int
	contract common.Address
}

func (c *client) send(data types.TxData) *types.Receipt {
	tx := get(types.SignNewTx(get(crypto.HexToECDSA(key)), types.LatestSignerForChainID(c.chain), data))
	must(c.eth.SendTransaction(c.ctx, tx) == nil, "sent", tx.Type())
	receipt := get(bind.WaitMined(c.ctx, c.eth, tx))
	must(receipt.Status == 1 && receipt.TxHash == tx.Hash() && receipt.Type == tx.Type(), "receipt", tx.Type())
	found, isPending, err := c.eth.TransactionByHash(c.ctx, tx.Hash())
	must(err == nil && !isPending && found.Hash() == tx.Hash(), "found", tx.Type())
	return receipt
}

func (c *client) nonce() uint64 { return get(c.eth.PendingNonceAt(c.ctx, c.sender)) }

func (c *client) call(to *common.Address, data []byte) *types.Receipt {
	return c.send(&types.DynamicFeeTx{
		ChainID: c.chain, Nonce: c.nonce(), GasFeeCap: c.price, GasTipCap: big.NewInt(1), Gas: 200_000, To: to, Data: data,
	})
}

// A block, its transactions and its receipts hash to what the header says, which hashes to the block hash.
func (c *client) block(hash common.Hash) {
	block := get(c.eth.BlockByHash(c.ctx, hash))
	must(block.Hash() == hash && get(c.eth.HeaderByHash(c.ctx, hash)).Hash() == hash, "block hash")
	must(get(c.eth.BlockByNumber(c.ctx, block.Number())).Hash() == hash, "block by number")
	must(types.DeriveSha(block.Transactions(), trie.NewStackTrie(nil)) == block.TxHash(), "transactions root")
	receipts := get(c.eth.BlockReceipts(c.ctx, rpc.BlockNumberOrHashWithHash(hash, false)))
	must(types.DeriveSha(types.Receipts(receipts), trie.NewStackTrie(nil)) == block.ReceiptHash(), "receipts root")
	must(types.MergeBloom(receipts) == block.Bloom(), "bloom")
	var raw hexutil.Bytes
	must(c.eth.Client().CallContext(c.ctx, &raw, "debug_getRawBlock", hash) == nil, "raw block")
	must(bytes.Equal(raw, get(rlp.EncodeToBytes(block))), "bytes of the block")
}

func (c *client) everyType() {
	c.block(c.send(&types.LegacyTx{Nonce: c.nonce(), GasPrice: c.price, Gas: 21_000, To: &friend}).BlockHash)
	list := types.AccessList{{Address: friend, StorageKeys: []common.Hash{{1}}}}
	c.block(c.send(&types.AccessListTx{
		ChainID: c.chain, Nonce: c.nonce(), GasPrice: c.price, Gas: 60_000, To: &friend, AccessList: list,
	}).BlockHash)
	c.block(c.call(&friend, []byte{1, 0}).BlockHash)
	nonce := c.nonce()
	for i, to := range []common.Address{friend, {}} { // And back: delegated accounts may send but one at a time.
		chain, at := *uint256.MustFromBig(c.chain), nonce+2*uint64(i)
		auth := types.SetCodeAuthorization{ChainID: chain, Address: to, Nonce: at + 1}
		signed := get(types.SignSetCode(get(crypto.HexToECDSA(key)), auth))
		c.block(c.send(&types.SetCodeTx{
			ChainID: &chain, Nonce: at, GasFeeCap: uint256.MustFromBig(c.price), GasTipCap: uint256.NewInt(1), Gas: 100_000,
			To: c.sender, AuthList: []types.SetCodeAuthorization{signed},
		}).BlockHash)
		code := get(c.eth.CodeAt(c.ctx, c.sender, nil))
		must((to == friend) == (len(code) == 23), "delegation", code)
	}
}

func next[T any](from <-chan T, what string) T {
	select {
	case value := <-from:
		checks++
		return value
	case <-time.After(wait):
		must(false, "waited in vain for", what)
		panic("never")
	}
}

func (c *client) subscriptions() {
	heads, logs := make(chan *types.Header, 64), make(chan types.Log, 64)
	hashes, full := make(chan common.Hash, 64), make(chan *types.Transaction, 64)
	geth := gethclient.New(c.ws.Client())
	get(c.ws.SubscribeNewHead(c.ctx, heads))
	query := ethereum.FilterQuery{Addresses: []common.Address{c.contract}, Topics: [][]common.Hash{{common.HexToHash(topic)}}}
	get(c.ws.SubscribeFilterLogs(c.ctx, query, logs))
	get(geth.SubscribePendingTransactions(c.ctx, hashes))
	get(geth.SubscribeFullPendingTransactions(c.ctx, full))
	for i := byte(1); i <= 3; i++ {
		receipt := c.call(&c.contract, common.LeftPadBytes([]byte{i}, 32))
		log := next(logs, "a log")
		must(log.BlockHash == receipt.BlockHash && log.TxHash == receipt.TxHash && log.Index == receipt.Logs[0].Index, "log")
		must(bytes.Equal(log.Data, receipt.Logs[0].Data) && log.BlockTimestamp == receipt.Logs[0].BlockTimestamp, "its data")
		must(next(hashes, "a pending hash") == receipt.TxHash, "pending")
		must(next(full, "a pending transaction").Hash() == receipt.TxHash, "pending in full")
	}
	last := next(heads, "a head")
	for range 3 {
		head := next(heads, "a head")
		must(head.ParentHash == last.Hash(), "linked heads", head.Number)
		last = head
	}
}

func (c *client) state() {
	at := c.call(&c.contract, common.LeftPadBytes([]byte{7}, 32))
	c.call(&c.contract, common.LeftPadBytes([]byte{8}, 32))
	read := ethereum.CallMsg{From: c.sender, To: &c.contract}
	past := get(c.eth.CallContract(c.ctx, read, at.BlockNumber))
	must(past[31] == 7 && get(c.eth.CallContractAtHash(c.ctx, read, at.BlockHash))[31] == 7, "a past block")
	must(get(c.eth.PendingCallContract(c.ctx, read))[31] == 8, "the pending block")
	geth := gethclient.New(c.eth.Client())
	word := common.BigToHash(big.NewInt(77))
	over := map[common.Address]gethclient.OverrideAccount{c.contract: {StateDiff: map[common.Hash]common.Hash{{}: word}}}
	must(get(geth.CallContract(c.ctx, read, nil, &over))[31] == 77, "an override")
	write := ethereum.CallMsg{From: c.sender, To: &c.contract, Data: word[:]}
	list, _, fault, err := geth.CreateAccessList(c.ctx, write)
	must(err == nil && fault == "" && len(*list) == 1 && (*list)[0].Address == c.contract, "access list", err, fault)
	_, err = c.eth.EstimateGas(c.ctx, ethereum.CallMsg{From: c.sender, Data: common.FromHex(reverter)})
	var reverted rpc.DataError
	must(errors.As(err, &reverted) && strings.HasSuffix(reverted.ErrorData().(string), "2a"), "revert data", err)
	logs := get(c.eth.FilterLogs(c.ctx, ethereum.FilterQuery{BlockHash: &at.BlockHash, Addresses: []common.Address{c.contract}}))
	must(len(logs) == 1 && logs[0].TxHash == at.TxHash, "logs of a block")
	_, err = c.eth.TransactionReceipt(c.ctx, common.Hash{1})
	must(errors.Is(err, ethereum.NotFound), "an unknown receipt", err)
	must(len(get(c.eth.FeeHistory(c.ctx, 4, nil, []float64{50})).Reward) == 4, "fee history")

	name := "callTracer"
	trace := get(geth.TraceTransaction(c.ctx, at.TxHash, &tracers.TraceConfig{Tracer: &name})).(map[string]any)
	must(trace["type"] == "CALL" && trace["structLogs"] == nil, "the tracer asked for", trace)

	proof := get(geth.GetProof(c.ctx, c.contract, []string{"0x0"}, at.BlockNumber))
	root := get(c.eth.HeaderByNumber(c.ctx, at.BlockNumber)).Root
	account := get(trie.VerifyProof(root, crypto.Keccak256(c.contract[:]), nodes(proof.AccountProof)))
	must(len(account) > 0, "account proof")
	slot := get(trie.VerifyProof(proof.StorageHash, crypto.Keccak256(make([]byte, 32)), nodes(proof.StorageProof[0].Proof)))
	must(bytes.Equal(slot, []byte{7}), "storage proof", slot)
}

func nodes(proof []string) *memorydb.Database {
	db := memorydb.New()
	for _, node := range proof {
		raw := common.FromHex(node)
		must(db.Put(crypto.Keccak256(raw), raw) == nil, "proof")
	}
	return db
}

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	c := &client{ctx: ctx, eth: get(ethclient.Dial(os.Args[1])), ws: get(ethclient.Dial(os.Args[2]))}
	c.sender = crypto.PubkeyToAddress(get(crypto.HexToECDSA(key)).PublicKey)
	c.chain = get(c.eth.ChainID(ctx))
	must(get(c.eth.NetworkID(ctx)).Cmp(c.chain) == 0, "network id")
	get(c.eth.SuggestGasTipCap(ctx))
	c.price = new(big.Int).Add(get(c.eth.SuggestGasPrice(ctx)), big.NewInt(1_000_000_000))
	for _, tag := range []rpc.BlockNumber{rpc.PendingBlockNumber, rpc.FinalizedBlockNumber, rpc.SafeBlockNumber, 0} {
		get(c.eth.BlockByNumber(ctx, big.NewInt(tag.Int64())))
	}
	c.everyType()
	size := fmt.Sprintf("%04x", len(store)/2)
	deployed := c.call(nil, common.FromHex("61"+size+"80600c6000396000f3"+store))
	c.contract = deployed.ContractAddress
	must(len(get(c.eth.CodeAt(ctx, c.contract, nil))) == len(store)/2, "code")
	c.subscriptions()
	c.state()
	fmt.Println(checks)
}
