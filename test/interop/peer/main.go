// A stock CometBFT peer-to-peer switch whose only reactor listens on every channel of a full node, decodes what an
// Orrery node says with CometBFT's own types, and says one message of each kind back.
//
// usage: peer <id@host:port> <chain id> <seconds>
// Prints one JSON object at the end; exits non-zero when the connection did not live or a message did not decode.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/cosmos/gogoproto/proto"

	"github.com/cometbft/cometbft/config"
	"github.com/cometbft/cometbft/consensus"
	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cometbft/cometbft/libs/bits"
	"github.com/cometbft/cometbft/libs/log"
	"github.com/cometbft/cometbft/p2p"
	"github.com/cometbft/cometbft/p2p/conn"
	bcproto "github.com/cometbft/cometbft/proto/tendermint/blocksync"
	cmtcons "github.com/cometbft/cometbft/proto/tendermint/consensus"
	memproto "github.com/cometbft/cometbft/proto/tendermint/mempool"
	tmp2p "github.com/cometbft/cometbft/proto/tendermint/p2p"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/version"
)

// In the order in which a full node without state sync advertises them.
var channels = []struct {
	id       byte
	priority int
	message  proto.Message
}{
	{0x40, 5, &bcproto.Message{}},
	{0x20, 6, &cmtcons.Message{}},
	{0x21, 10, &cmtcons.Message{}},
	{0x22, 7, &cmtcons.Message{}},
	{0x23, 1, &cmtcons.Message{}},
	{0x30, 5, &memproto.Message{}},
	{0x38, 6, &cmtproto.EvidenceList{}},
	{0x00, 1, &tmp2p.Message{}},
}

type recorder struct {
	p2p.BaseReactor
	mtx      sync.Mutex
	Messages map[string]int
	Errors   []string
	Peers    int
	Lost     []string
	Info     p2p.DefaultNodeInfo
}

func newRecorder() *recorder {
	r := &recorder{Messages: map[string]int{}}
	r.BaseReactor = *p2p.NewBaseReactor("Recorder", r)
	return r
}

func (r *recorder) GetChannels() []*conn.ChannelDescriptor {
	var out []*conn.ChannelDescriptor
	for _, c := range channels {
		out = append(out, &conn.ChannelDescriptor{
			ID: c.id, Priority: c.priority, SendQueueCapacity: 100,
			RecvMessageCapacity: 104857605, MessageType: c.message,
		})
	}
	return out
}

func (r *recorder) AddPeer(peer p2p.Peer) {
	r.mtx.Lock()
	r.Peers++
	r.Info = peer.NodeInfo().(p2p.DefaultNodeInfo)
	r.mtx.Unlock()
	go talk(peer)
}

func (r *recorder) RemovePeer(_ p2p.Peer, reason interface{}) {
	r.mtx.Lock()
	defer r.mtx.Unlock()
	r.Lost = append(r.Lost, fmt.Sprint(reason))
}

func (r *recorder) Receive(e p2p.Envelope) {
	name, err := check(e)
	if step, ok := e.Message.(*cmtcons.NewRoundStep); ok {
		follow(e.Src, step)
	}
	r.mtx.Lock()
	defer r.mtx.Unlock()
	r.Messages[fmt.Sprintf("0x%02x %s", e.ChannelID, name)]++
	if err != nil && len(r.Errors) < 20 {
		r.Errors = append(r.Errors, fmt.Sprintf("0x%02x %s: %v", e.ChannelID, name, err))
	}
}

// Says that we stand where the peer stands: it then sends proposals, parts and votes of that height.
func follow(peer p2p.Peer, step *cmtcons.NewRoundStep) {
	peer.TrySend(p2p.Envelope{ChannelID: 0x20, Message: step})
	peer.TrySend(p2p.Envelope{ChannelID: 0x20, Message: &cmtcons.VoteSetMaj23{
		Height: step.Height, Round: step.Round, Type: cmtproto.PrevoteType, BlockID: cmtproto.BlockID{},
	}})
}

// What each reactor of a full node does with a message first.
func check(e p2p.Envelope) (string, error) {
	switch e.ChannelID {
	case 0x20, 0x21, 0x22, 0x23:
		msg, err := consensus.MsgFromProto(e.Message)
		if err != nil {
			return fmt.Sprintf("%T", e.Message), err
		}
		return fmt.Sprintf("%T", msg), msg.ValidateBasic()
	default:
		return fmt.Sprintf("%T", e.Message), nil
	}
}

// One message of each kind that needs no chain of our own.
func talk(peer p2p.Peer) {
	zero := cmtproto.BlockID{}
	votes := bits.NewBitArray(4).ToProto()
	say := func(channel byte, message proto.Message) {
		peer.Send(p2p.Envelope{ChannelID: channel, Message: message})
	}
	say(0x20, &cmtcons.NewRoundStep{Height: 1, Round: 0, Step: 1, LastCommitRound: -1})
	say(0x20, &cmtcons.HasVote{Height: 1, Round: 0, Type: cmtproto.PrevoteType, Index: 0})
	say(0x21, &cmtcons.ProposalPOL{Height: 1, ProposalPolRound: 0, ProposalPol: *votes})
	say(0x23, &cmtcons.VoteSetBits{Height: 1, Round: 0, Type: cmtproto.PrevoteType, BlockID: zero, Votes: *votes})
	say(0x30, &memproto.Txs{Txs: [][]byte{[]byte("not a transaction of this chain")}})
	say(0x00, &tmp2p.PexRequest{})
	if len(os.Args) > 4 && os.Args[4] == "blocksync" {
		say(0x40, &bcproto.StatusRequest{})
		say(0x40, &bcproto.BlockRequest{Height: 1})
	}
}

func main() {
	if len(os.Args) < 4 {
		fail(fmt.Errorf("usage: peer <id@host:port> <chain id> <seconds> [blocksync]"))
	}
	target, chainID := os.Args[1], os.Args[2]
	seconds, err := strconv.Atoi(os.Args[3])
	fail(err)
	nodeKey := p2p.NodeKey{PrivKey: ed25519.GenPrivKey()}
	var ids []byte
	for _, c := range channels {
		ids = append(ids, c.id)
	}
	info := p2p.DefaultNodeInfo{
		ProtocolVersion: p2p.NewProtocolVersion(version.P2PProtocol, version.BlockProtocol, 0),
		DefaultNodeID:   nodeKey.ID(),
		ListenAddr:      "tcp://127.0.0.1:1",
		Network:         chainID,
		Version:         version.TMCoreSemVer,
		Channels:        ids,
		Moniker:         "stock",
		Other:           p2p.DefaultNodeInfoOther{TxIndex: "on", RPCAddress: "tcp://127.0.0.1:1"},
	}
	cfg := config.DefaultP2PConfig()
	cfg.AllowDuplicateIP = true
	transport := p2p.NewMultiplexTransport(info, nodeKey, p2p.MConnConfig(cfg))
	sw := p2p.NewSwitch(cfg, transport)
	sw.SetLogger(log.NewNopLogger())
	r := newRecorder()
	sw.AddReactor("RECORDER", r)
	sw.SetNodeInfo(info)
	sw.SetNodeKey(&nodeKey)
	fail(sw.Start())
	addr, err := p2p.NewNetAddressString(target)
	fail(err)
	fail(sw.DialPeerWithAddress(addr))
	time.Sleep(time.Duration(seconds) * time.Second)
	alive := sw.Peers().Size()
	r.mtx.Lock()
	defer r.mtx.Unlock()
	out, _ := json.Marshal(map[string]interface{}{
		"alive": alive, "messages": r.Messages, "errors": r.Errors, "lost": r.Lost, "peer": r.Info,
		"cometbft": version.TMCoreSemVer,
	})
	fmt.Println(string(out))
	if alive != 1 || len(r.Errors) > 0 || len(r.Lost) > 0 {
		os.Exit(1)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
