//go:build !embednats

package embed

import "log/slog"

// Check returns ErrNone.
func Check(Options) error { return ErrNone }

// Start returns ErrNone.
func Start(Options, *slog.Logger) (Server, error) { return nil, ErrNone }
