package task

import "testing"

// The reference vector of SipHash-2-4: key 00…0f, input 00…0e.
func TestSipHash(t *testing.T) {
	var key [16]byte
	for i := range key {
		key[i] = byte(i)
	}
	data := make([]byte, 15)
	for i := range data {
		data[i] = byte(i)
	}
	if got := sipHash(key, data); got != 0xa129ca6149be45e5 {
		t.Errorf("%#x", got)
	}
}
