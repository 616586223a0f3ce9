// Checks an Orrery chain with CometBFT's own code: every hash of every block recomputed, every commit verified, and its
// light client run over the RPC, one height after another and skipping.
//
// usage: verify <rpc url> <chain id> <sequential heights> <skipping heights>
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"time"

	dbm "github.com/cometbft/cometbft-db"

	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/light"
	"github.com/cometbft/cometbft/light/provider"
	lhttp "github.com/cometbft/cometbft/light/provider/http"
	dbs "github.com/cometbft/cometbft/light/store/db"
	rpchttp "github.com/cometbft/cometbft/rpc/client/http"
	"github.com/cometbft/cometbft/types"
)

func main() {
	if len(os.Args) < 5 {
		fail(fmt.Errorf("usage: verify <rpc url> <chain id> <sequential heights> <skipping heights>"))
	}
	url, chainID := os.Args[1], os.Args[2]
	sequential, err := strconv.ParseInt(os.Args[3], 10, 64)
	fail(err)
	skipping, err := strconv.ParseInt(os.Args[4], 10, 64)
	fail(err)
	client, err := rpchttp.New(url, "/websocket")
	fail(err)
	ctx := context.Background()
	evidence := 0
	for h := int64(1); h <= sequential; h++ {
		evidence += checkBlock(ctx, client, chainID, h)
	}
	lightSteps := lightClient(ctx, url, chainID, sequential, 1, light.SequentialVerification())
	step := sequential / skipping
	skipSteps := lightClient(ctx, url, chainID, 1+step*skipping, step, light.SkippingVerification(light.DefaultTrustLevel))
	out, _ := json.Marshal(map[string]interface{}{
		"blocks": sequential, "evidence": evidence, "sequential": lightSteps, "skipping": skipSteps,
	})
	fmt.Println(string(out))
}

func validatorsAt(ctx context.Context, client *rpchttp.HTTP, h int64) *types.ValidatorSet {
	var all []*types.Validator
	perPage := 100
	for page := 1; ; page++ {
		p := page
		res, err := client.Validators(ctx, &h, &p, &perPage)
		fail(err)
		all = append(all, res.Validators...)
		if len(all) >= res.Total {
			break
		}
	}
	set, err := types.ValidatorSetFromExistingValidators(all)
	fail(err)
	return set
}

func checkBlock(ctx context.Context, client *rpchttp.HTTP, chainID string, h int64) int {
	res, err := client.Block(ctx, &h)
	fail(err)
	block := res.Block
	same(h, "block", res.BlockID.Hash, block.Hash())
	parts, err := block.MakePartSet(types.BlockPartSizeBytes)
	fail(err)
	if !parts.Header().Equals(res.BlockID.PartSetHeader) {
		fail(fmt.Errorf("height %d: part set header %v, ours %v", h, res.BlockID.PartSetHeader, parts.Header()))
	}
	same(h, "data", block.DataHash, block.Data.Hash())
	same(h, "last commit", block.LastCommitHash, block.LastCommit.Hash())
	same(h, "evidence", block.EvidenceHash, block.Evidence.Evidence.Hash())
	fail(block.ValidateBasic())
	set, next := validatorsAt(ctx, client, h), validatorsAt(ctx, client, h+1)
	same(h, "validators", block.ValidatorsHash, set.Hash())
	same(h, "next validators", block.NextValidatorsHash, next.Hash())
	params, err := client.ConsensusParams(ctx, &h)
	fail(err)
	same(h, "consensus params", block.ConsensusHash, params.ConsensusParams.Hash())
	commit, err := client.Commit(ctx, &h)
	fail(err)
	same(h, "header", commit.Header.Hash(), block.Hash())
	fail(set.VerifyCommit(chainID, commit.Commit.BlockID, h, commit.Commit))
	fail(set.VerifyCommitLight(chainID, res.BlockID, h, commit.Commit))
	results, err := client.BlockResults(ctx, &h)
	fail(err)
	after := h + 1
	if following, err := client.Block(ctx, &after); err == nil {
		same(h, "results", following.Block.LastResultsHash, types.NewResults(results.TxsResults).Hash())
		same(h, "app", following.Block.AppHash, results.AppHash)
	}
	return len(block.Evidence.Evidence)
}

func lightClient(ctx context.Context, url, chainID string, to, step int64, mode light.Option) int {
	primary, err := lhttp.New(chainID, url)
	fail(err)
	witness, err := lhttp.New(chainID, url)
	fail(err)
	first, err := primary.LightBlock(ctx, 1)
	fail(err)
	c, err := light.NewClient(ctx, chainID,
		light.TrustOptions{Period: 168 * time.Hour, Height: 1, Hash: first.Hash()},
		primary, []provider.Provider{witness}, dbs.New(dbm.NewMemDB(), chainID), mode, light.Logger(log.NewNopLogger()))
	fail(err)
	count := 0
	for h := 1 + step; h <= to; h += step {
		_, err := c.VerifyLightBlockAtHeight(ctx, h, time.Now())
		fail(err)
		count++
	}
	return count
}

func same(h int64, what string, want, got []byte) {
	if !bytes.Equal(want, got) {
		fail(fmt.Errorf("height %d: %s hash %X, recomputed %X", h, what, want, got))
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
