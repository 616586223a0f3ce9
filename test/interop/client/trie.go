// Steps of Orrery's state proofs (docs/proofs.md), for CometBFT's proof runtime. Written from that page alone.
package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cometbft/cometbft/crypto/merkle"
	cmtcrypto "github.com/cometbft/cometbft/proto/tendermint/crypto"
	"golang.org/x/crypto/sha3"
)

func keccak(b []byte) []byte {
	h := sha3.NewLegacyKeccak256()
	h.Write(b)
	return h.Sum(nil)
}

// rlpItem splits the first item off: its payload, whether it is a list, its whole encoding, and what follows.
func rlpItem(b []byte) (payload []byte, isList bool, whole, rest []byte, err error) {
	if len(b) == 0 {
		return nil, false, nil, nil, errors.New("rlp: nothing left")
	}
	first := int(b[0])
	start, size := 1, 0
	switch {
	case first < 0x80:
		start, size = 0, 1
	case first <= 0xb7:
		size = first - 0x80
	case first < 0xc0, first > 0xf7:
		n := first - 0xb7
		if first > 0xf7 {
			n = first - 0xf7
		}
		if n > 3 || len(b) < 1+n {
			return nil, false, nil, nil, errors.New("rlp: length")
		}
		for _, c := range b[1 : 1+n] {
			size = size<<8 | int(c)
		}
		start += n
	default:
		size = first - 0xc0
	}
	if len(b) < start+size {
		return nil, false, nil, nil, errors.New("rlp: cut short")
	}
	return b[start : start+size], first >= 0xc0, b[:start+size], b[start+size:], nil
}

// rlpList returns the items of a list: payloads of strings, whole encodings of lists.
func rlpList(b []byte) (items [][]byte, err error) {
	payload, isList, _, rest, err := rlpItem(b)
	if err != nil || !isList || len(rest) > 0 {
		return nil, fmt.Errorf("rlp: no list (%v)", err)
	}
	for len(payload) > 0 {
		item, isList, whole, after, err := rlpItem(payload)
		if err != nil {
			return nil, err
		}
		if isList {
			item = whole
		}
		items, payload = append(items, item), after
	}
	return items, nil
}

func nibbles(key []byte) []byte {
	out := make([]byte, 0, 2*len(key))
	for _, b := range key {
		out = append(out, b>>4, b&15)
	}
	return out
}

// lookUp walks from the root along the key and returns the value, or nil when the nodes show that there is none.
func lookUp(nodes [][]byte, key []byte) ([]byte, error) {
	byHash := map[string][]byte{}
	for _, node := range nodes {
		byHash[string(keccak(node))] = node
	}
	path, node := nibbles(key), nodes[0]
	for {
		items, err := rlpList(node)
		if err != nil {
			return nil, err
		}
		var child []byte
		switch len(items) {
		case 17:
			if len(path) == 0 {
				return nilIfEmpty(items[16]), nil
			}
			child, path = items[path[0]], path[1:]
		case 2:
			packed := nibbles(items[0])
			isLeaf := packed[0] >= 2
			own := packed[2:]
			if packed[0]%2 == 1 {
				own = packed[1:]
			}
			if !bytes.HasPrefix(path, own) || (isLeaf && len(path) != len(own)) {
				return nil, nil
			}
			if isLeaf {
				return items[1], nil
			}
			child, path = items[1], path[len(own):]
		default:
			return nil, errors.New("no trie node")
		}
		switch {
		case len(child) == 0:
			return nil, nil
		case len(child) == 32:
			next, ok := byHash[string(child)]
			if !ok {
				return nil, errors.New("a node is missing")
			}
			node = next
		default:
			node = child
		}
	}
}

func nilIfEmpty(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return b
}

// protoFields returns the length-delimited fields of number 1.
func protoFields(b []byte) (out [][]byte, err error) {
	for len(b) > 0 {
		if b[0] != 0x0a {
			return nil, errors.New("unknown field")
		}
		size, i, shift := 0, 1, 0
		for ; ; i++ {
			if i >= len(b) || shift > 28 {
				return nil, errors.New("length")
			}
			size |= int(b[i]&0x7f) << shift
			shift += 7
			if b[i] < 0x80 {
				i++
				break
			}
		}
		if len(b) < i+size {
			return nil, errors.New("cut short")
		}
		out, b = append(out, b[i:i+size]), b[i+size:]
	}
	return out, nil
}

type trieOp struct{ op cmtcrypto.ProofOp }

func (t trieOp) GetKey() []byte             { return t.op.Key }
func (t trieOp) ProofOp() cmtcrypto.ProofOp { return t.op }
func (t trieOp) Run(args [][]byte) ([][]byte, error) {
	nodes, err := protoFields(t.op.Data)
	if err != nil {
		return nil, err
	}
	if len(nodes) == 0 {
		if len(args) != 0 {
			return nil, errors.New("nothing is in an empty trie")
		}
		return [][]byte{keccak([]byte{0x80})}, nil
	}
	key := t.op.Key
	if t.op.Type == "orrery:secure-trie" {
		key = keccak(key)
	}
	found, err := lookUp(nodes, key)
	if err != nil {
		return nil, err
	}
	if len(args) == 0 && found != nil {
		return nil, errors.New("it is there")
	}
	if len(args) == 1 && !bytes.Equal(found, args[0]) {
		return nil, errors.New("another value is there")
	}
	return [][]byte{keccak(nodes[0])}, nil
}

type headerOp struct{ op cmtcrypto.ProofOp }

func (h headerOp) GetKey() []byte             { return nil }
func (h headerOp) ProofOp() cmtcrypto.ProofOp { return h.op }
func (h headerOp) Run(args [][]byte) ([][]byte, error) {
	fields, err := rlpList(h.op.Data)
	if err != nil || len(fields) < 4 || len(args) != 1 || !bytes.Equal(fields[3], args[0]) {
		return nil, fmt.Errorf("the header has another state root (%v)", err)
	}
	return [][]byte{keccak(h.op.Data)}, nil
}

func decodeTrie(op cmtcrypto.ProofOp) (merkle.ProofOperator, error)   { return trieOp{op}, nil }
func decodeHeader(op cmtcrypto.ProofOp) (merkle.ProofOperator, error) { return headerOp{op}, nil }

type registry interface {
	RegisterOpDecoder(typ string, dec merkle.OpDecoder)
}

func register(r registry) {
	r.RegisterOpDecoder("orrery:trie", decodeTrie)
	r.RegisterOpDecoder("orrery:secure-trie", decodeTrie)
	r.RegisterOpDecoder("orrery:eth-header", decodeHeader)
}
