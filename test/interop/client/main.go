// Uses an Orrery node through CometBFT's own RPC client: every method, every kind of subscription, and its light client
// over proofs of the application's state. A failure ends it with the name of what failed.
//
// usage: client <rpc url> <chain id> <funded address, hex> <transactions to wait for>
package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	dbm "github.com/cometbft/cometbft-db"

	"github.com/cometbft/cometbft/crypto/merkle"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/light"
	"github.com/cometbft/cometbft/light/provider"
	lhttp "github.com/cometbft/cometbft/light/provider/http"
	lrpc "github.com/cometbft/cometbft/light/rpc"
	dbs "github.com/cometbft/cometbft/light/store/db"
	rpcclient "github.com/cometbft/cometbft/rpc/client"
	rpchttp "github.com/cometbft/cometbft/rpc/client/http"
	"github.com/cometbft/cometbft/types"
)

var done []string

func check(name string, err error) {
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
	done = append(done, name)
}

func that(name string, holds bool) {
	if !holds {
		check(name, fmt.Errorf("not so"))
	}
	done = append(done, name)
}

func main() {
	if len(os.Args) < 5 {
		check("usage", fmt.Errorf("client <rpc url> <chain id> <address> <transactions>"))
	}
	url, chainID := os.Args[1], os.Args[2]
	address, err := hex.DecodeString(strings.TrimPrefix(os.Args[3], "0x"))
	check("address", err)
	count, err := strconv.Atoi(os.Args[4])
	check("count", err)
	client, err := rpchttp.New(url, "/websocket")
	check("new", err)
	check("start", client.Start())
	ctx, cancel := context.WithTimeout(context.Background(), 90*time.Second)
	defer cancel()
	tx := subscriptions(ctx, client, count)
	methods(ctx, client, tx)
	proofs(ctx, client, url, chainID, address)
	check("stop", client.Stop())
	out, _ := json.Marshal(map[string]interface{}{"checks": len(done), "names": done})
	fmt.Println(string(out))
}

// subscriptions waits for events of every kind that an honest validator alone has, and for the transactions.
func subscriptions(ctx context.Context, client *rpchttp.HTTP, count int) types.EventDataTx {
	kinds := []string{"NewBlock", "NewBlockHeader", "NewBlockEvents", "NewRound", "NewRoundStep", "CompleteProposal",
		"Polka", "Vote", "Tx"}
	var last types.EventDataTx
	// At most five subscriptions a client: so by turns.
	for _, kind := range kinds {
		query := fmt.Sprintf("tm.event = '%s'", kind)
		events, err := client.Subscribe(ctx, "it", query, 1000)
		check("subscribe "+kind, err)
		wanted := 2
		if kind == "Tx" {
			wanted = count
		}
		height := int64(0)
		for i := 0; i < wanted; i++ {
			select {
			case event := <-events:
				if event.Data == nil || event.Query != query {
					check("event "+kind, fmt.Errorf("got %v", event))
				}
				switch data := event.Data.(type) {
				case types.EventDataTx:
					last = data
				case types.EventDataNewBlockHeader:
					if height != 0 && data.Header.Height != height+1 {
						check("event "+kind, fmt.Errorf("height %d after %d", data.Header.Height, height))
					}
					height = data.Header.Height
				}
			case <-ctx.Done():
				check("event "+kind, ctx.Err())
			}
		}
		check("unsubscribe "+kind, client.Unsubscribe(ctx, "it", query))
	}
	_, err := client.Subscribe(ctx, "it", "tm.event = 'ValidBlock'")
	check("subscribe ValidBlock", err)
	check("unsubscribe all", client.UnsubscribeAll(ctx, "it"))
	return last
}

func methods(ctx context.Context, client *rpchttp.HTTP, event types.EventDataTx) {
	health, err := client.Health(ctx)
	check("health", err)
	that("health answers", health != nil)
	status, err := client.Status(ctx)
	check("status", err)
	that("status: indexed", status.NodeInfo.Other.TxIndex == "on" && status.SyncInfo.LatestBlockHeight > 0)
	_, err = client.NetInfo(ctx)
	check("net_info", err)
	genesis, err := client.Genesis(ctx)
	check("genesis", err)
	check("genesis: valid", genesis.Genesis.ValidateAndComplete())
	chunk, err := client.GenesisChunked(ctx, 0)
	check("genesis_chunked", err)
	that("genesis_chunked: one", chunk.TotalChunks == 1)
	h := event.Height
	block, err := client.Block(ctx, &h)
	check("block", err)
	that("block: its own hash", bytes.Equal(block.Block.Hash(), block.BlockID.Hash))
	byHash, err := client.BlockByHash(ctx, block.BlockID.Hash)
	check("block_by_hash", err)
	that("block_by_hash: the same", byHash.Block.Height == h)
	header, err := client.Header(ctx, &h)
	check("header", err)
	that("header: its own hash", bytes.Equal(header.Header.Hash(), block.BlockID.Hash))
	_, err = client.HeaderByHash(ctx, cmtHex(block.BlockID.Hash))
	check("header_by_hash", err)
	results, err := client.BlockResults(ctx, &h)
	check("block_results", err)
	that("block_results: of each", len(results.TxsResults) == len(block.Block.Txs))
	commit, err := client.Commit(ctx, &h)
	check("commit", err)
	check("commit: valid", commit.SignedHeader.ValidateBasic(genesis.Genesis.ChainID))
	validators, err := client.Validators(ctx, &h, nil, nil)
	check("validators", err)
	that("validators: some", validators.Total > 0)
	_, err = client.ConsensusParams(ctx, &h)
	check("consensus_params", err)
	_, err = client.ConsensusState(ctx)
	check("consensus_state", err)
	_, err = client.DumpConsensusState(ctx)
	check("dump_consensus_state", err)
	chain, err := client.BlockchainInfo(ctx, 1, h)
	check("blockchain", err)
	that("blockchain: newest first", chain.BlockMetas[0].Header.Height == h)
	_, err = client.UnconfirmedTxs(ctx, nil)
	check("unconfirmed_txs", err)
	_, err = client.NumUnconfirmedTxs(ctx)
	check("num_unconfirmed_txs", err)
	hash := types.Tx(event.Tx).Hash()
	tx, err := client.Tx(ctx, hash, true)
	check("tx", err)
	check("tx: proven", tx.Proof.Validate(block.Block.DataHash))
	found, err := client.TxSearch(ctx, fmt.Sprintf("tx.height=%d", h), true, nil, nil, "asc")
	check("tx_search", err)
	that("tx_search: all of the block", found.TotalCount == len(block.Block.Txs))
	blocks, err := client.BlockSearch(ctx, fmt.Sprintf("block.height=%d", h), nil, nil, "")
	check("block_search", err)
	that("block_search: the one", blocks.TotalCount == 1 && blocks.Blocks[0].Block.Height == h)
	info, err := client.ABCIInfo(ctx)
	check("abci_info", err)
	that("abci_info: of a height", info.Response.LastBlockHeight >= h)
	refused, err := client.CheckTx(ctx, types.Tx("nonsense"))
	check("check_tx", err)
	that("check_tx: refused", refused.Code != 0)
	sync, err := client.BroadcastTxSync(ctx, types.Tx("nonsense 1"))
	check("broadcast_tx_sync", err)
	that("broadcast_tx_sync: refused", sync.Code != 0)
	async, err := client.BroadcastTxAsync(ctx, types.Tx("nonsense 2"))
	check("broadcast_tx_async", err)
	that("broadcast_tx_async: its hash", bytes.Equal(async.Hash, types.Tx("nonsense 2").Hash()))
	committed, err := client.BroadcastTxCommit(ctx, types.Tx("nonsense 3"))
	check("broadcast_tx_commit", err)
	that("broadcast_tx_commit: refused", committed.CheckTx.Code != 0 && committed.Height == 0)
	_, err = client.BroadcastEvidence(ctx, &types.DuplicateVoteEvidence{})
	that("broadcast_evidence: refused", err != nil)
}

func cmtHex(b []byte) []byte { return b }

// proofs trusts block 1 and nothing else: balances and keys are believed for their proofs.
func proofs(ctx context.Context, client *rpchttp.HTTP, url, chainID string, address []byte) {
	primary, err := lhttp.New(chainID, url)
	check("light provider", err)
	witness, err := lhttp.New(chainID, url)
	check("light witness", err)
	first, err := primary.LightBlock(ctx, 1)
	check("light block", err)
	trust := light.TrustOptions{Period: 168 * time.Hour, Height: 1, Hash: first.Hash()}
	lc, err := light.NewClient(ctx, chainID, trust, primary, []provider.Provider{witness},
		dbs.New(dbm.NewMemDB(), chainID), light.Logger(log.NewNopLogger()))
	check("light client", err)
	verified := lrpc.NewClient(client, lc, lrpc.KeyPathFn(lrpc.DefaultMerkleKeyPathFn()))
	register(verified)
	status, err := client.Status(ctx)
	check("status", err)
	options := rpcclient.ABCIQueryOptions{Height: status.SyncInfo.LatestBlockHeight - 1}
	account, err := verified.ABCIQueryWithOptions(ctx, "/store/ethereum/key", address, options)
	check("account, proven", err)
	fields, err := rlpList(account.Response.Value)
	check("account: rlp", err)
	that("account: nonce and balance", len(fields) == 4 && len(fields[0]) > 0 && len(fields[1]) > 0)
	key := append([]byte("auth/account/"), address...)
	record, err := verified.ABCIQueryWithOptions(ctx, "/store/modules/key", key, options)
	check("public key, proven", err)
	that("public key: of 33 bytes", bytes.Contains(record.Response.Value, []byte{0x12, 33}))
	// The client of CometBFT 0.38 builds no key path for absence; its runtime proves it.
	runtime := merkle.DefaultProofRuntime()
	register(runtime)
	options.Prove = true
	for _, store := range []string{"ethereum", "modules"} {
		nobody := bytes.Repeat([]byte{0x5e}, 20)
		missing, err := client.ABCIQueryWithOptions(ctx, "/store/"+store+"/key", nobody, options)
		check("absence in "+store, err)
		next, err := lc.VerifyLightBlockAtHeight(ctx, missing.Response.Height+1, time.Now())
		check("absence in "+store+": header", err)
		path := merkle.KeyPath{}.AppendKey([]byte(store), merkle.KeyEncodingURL).AppendKey(nobody, merkle.KeyEncodingHex)
		that("absence in "+store+": no value", missing.Response.Value == nil)
		check("absence in "+store+", proven",
			runtime.VerifyAbsence(missing.Response.ProofOps, next.AppHash, path.String()))
	}
}
