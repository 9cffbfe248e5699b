package config

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
)

func certificate(t testing.TB, serial int64, from, until time.Time) TLS {
	cert, key := configtest.Certificate(t, t.TempDir(), serial, from, until)
	return TLS{cert, key}
}

func TestCertificatesAreCheckedWhenLoaded(t *testing.T) {
	now := time.Now()
	from, until := now.Add(-time.Hour), now.Add(time.Hour)
	good := certificate(t, 1, from, until)
	other := certificate(t, 2, from, until)
	for name, test := range map[string]struct {
		files TLS
		want  string
	}{
		"valid":                  {good, ""},
		"the key of another one": {TLS{good.Cert, other.Key}, "does not match"},
		"expired":                {certificate(t, 3, from, now.Add(-time.Minute)), "has expired at"},
		"not valid yet":          {certificate(t, 4, now.Add(time.Minute), until), "is valid from"},
		"no file":                {TLS{"none.crt", good.Key}, "none.crt"},
		"key and certificate":    {TLS{good.Key, good.Cert}, "failed to find"},
	} {
		c := checker{Loaded: &Loaded{}}
		loaded := c.certificate("tls", test.files)
		if err := errors.Join(c.problems...); test.want == "" && (err != nil || loaded == nil) || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}
