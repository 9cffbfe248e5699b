//go:build !release

package site

import (
	"errors"
	"testing"
)

func TestWithoutReleaseThereAreNoFiles(t *testing.T) {
	if _, err := Files(WebFiles); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}
