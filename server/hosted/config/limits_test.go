package config

import "testing"

// Connections of unknown clients never take the files that pages and streams need.
func TestUnknownConnectionsLeaveFiles(t *testing.T) {
	c := Config{}.WithDefaults() // 40,000 pages and streams
	for files, want := range map[uint64]int{41_000: 800, 45_000: 4_800, 48_992: 8_792, 49_192: 8_992, 50_000: 8_992, 1 << 63: 8_992} {
		if err := c.CheckFileLimit(files); err != nil {
			t.Errorf("%d files are refused: %v", files, err)
		}
		if got := c.UnknownConns(files); got != want {
			t.Errorf("%d files leave %d connections, want %d", files, got, want)
		}
	}
}
