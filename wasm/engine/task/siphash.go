package task

import (
	"encoding/binary"
	"math/bits"
)

// sipHash is SipHash-2-4 of data: a keyed hash of 64 bits, short enough to stand
// here, where the packages of crypto/ would cost 30 KB of wasm.
// https://www.aumasson.jp/siphash/siphash.pdf
func sipHash(key [16]byte, data []byte) uint64 {
	k0, k1 := binary.LittleEndian.Uint64(key[:8]), binary.LittleEndian.Uint64(key[8:])
	v := [4]uint64{k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d, k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573}
	last := uint64(len(data)) << 56
	for ; len(data) >= 8; data = data[8:] {
		sipBlock(&v, binary.LittleEndian.Uint64(data))
	}
	for i, c := range data {
		last |= uint64(c) << (8 * i)
	}
	sipBlock(&v, last)
	v[2] ^= 0xff
	for range 4 {
		sipRound(&v)
	}
	return v[0] ^ v[1] ^ v[2] ^ v[3]
}

func sipBlock(v *[4]uint64, block uint64) {
	v[3] ^= block
	sipRound(v)
	sipRound(v)
	v[0] ^= block
}

func sipRound(v *[4]uint64) {
	v[0] += v[1]
	v[1] = bits.RotateLeft64(v[1], 13) ^ v[0]
	v[0] = bits.RotateLeft64(v[0], 32)
	v[2] += v[3]
	v[3] = bits.RotateLeft64(v[3], 16) ^ v[2]
	v[0] += v[3]
	v[3] = bits.RotateLeft64(v[3], 21) ^ v[0]
	v[2] += v[1]
	v[1] = bits.RotateLeft64(v[1], 17) ^ v[2]
	v[2] = bits.RotateLeft64(v[2], 32)
}
