package config

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/internal/oauth"
)

// example is a configuration with most settings.
const example = `
publicURL: https://mcp.app.example        # the only Host that is answered; /mcp, /mcp/{page} and /page are below it
listen: 0.0.0.0:8443
tls: { cert: tls.crt, key: tls.key }      # or: trustedProxies: [10.0.0.0/8] (plain HTTP, from these peers only)
admin: { listen: 127.0.0.1:9090 }
assistants:
  issuer: https://auth.app.example        # metadata by RFC 8414, then OpenID Connect Discovery; jwks: URL overrides
  audience: [https://mcp.app.example/mcp] # default: publicURL + /mcp
  subjectClaim: sub                       # must name the same user as pages.tokens' sub
  tenantClaim: org_id                     # optional; when set, required in both kinds of tokens
  challengeScopes: [resources:read, prompts:get, tools:call]
  defaultScopes: []
  origins: []                             # browser clients; exact
pages:
  origins: ["https://app.example", "https://*.app.example"]   # ` + "`*`" + ` is one label, leftmost, https only
  tokens: { issuer: https://app.example, jwks: https://app.example/pagemcp-keys.json }   # or a file
keys: pagemcp.keys                        # 32-byte keys, base64url, one per line; the first signs, all are accepted
cluster: # absent: one node, no NATS
  name: prod
  internal: { tls: { ca: tls.crt, cert: tls.crt, key: tls.key } }
  nats: { urls: [tls://nats:4222], creds: node.creds }
`

// minimal is a configuration with only the keys that are required.
const minimal = `
publicURL: https://mcp.app.example
trustedProxies: [10.0.0.0/8]
assistants: { issuer: https://auth.app.example }
pages: { origins: ["https://app.example"], tokens: { issuer: https://app.example } }
keys: pagemcp.keys
`

// readText writes a configuration beside testFiles and reads it. An error does not have
// the name of the directory.
func readText(t testing.TB, dir, text string) (Config, string) {
	t.Helper()
	l, err := LoadFile(configtest.Write(t, filepath.Join(dir, "pagemcp.yaml"), text, 0o444))
	if err == nil {
		return l.Config, ""
	}
	return Config{}, strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "")
}

func TestTheExampleIsAccepted(t *testing.T) {
	dir := configtest.Files(t)
	got, refused := readText(t, dir, example)
	if refused != "" {
		t.Fatal(refused)
	}
	in := func(name string) string { return filepath.Join(dir, name) }
	want := Config{
		PublicURL: "https://mcp.app.example", Listen: "0.0.0.0:8443", TLS: TLS{in("tls.crt"), in("tls.key")}, Admin: Admin{"127.0.0.1:9090"},
		Assistants: Assistants{
			Issuer: "https://auth.app.example", Audience: []string{"https://mcp.app.example/mcp"}, SubjectClaim: "sub", TenantClaim: "org_id",
			ChallengeScopes: oauth.AllScopes(), DefaultScopes: []string{}, Origins: []string{},
		},
		Pages: Pages{
			Origins: []string{"https://app.example", "https://*.app.example"},
			Tokens:  Tokens{"https://app.example", "https://app.example/pagemcp-keys.json"},
		},
		Keys:    in("pagemcp.keys"),
		Cluster: &Cluster{"prod", Internal{Listen: "0.0.0.0:8444", TLS: MutualTLS{in("tls.crt"), in("tls.crt"), in("tls.key")}}, NATS{URLs: []string{"tls://nats:4222"}, Creds: in("node.creds")}},
		Log:     Log{"info"}, Audit: Audit{"full"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v\nwant\n%+v", show(got), show(want))
	}
	if _, err := Load(got); err != nil { // what was read is accepted by a program that passes it on
		t.Error(err)
	}
}

// show returns all fields of a Config, which its Format does not.
func show(c Config) any {
	type plain Config
	return plain(c)
}

func TestDefaultsAreThoseOfTheExample(t *testing.T) {
	dir := configtest.Files(t)
	full, refused := readText(t, dir, example)
	least, refusedLeast := readText(t, dir, minimal)
	if refused != "" || refusedLeast != "" {
		t.Fatal(refused, refusedLeast)
	}
	least.TLS, least.TrustedProxies, least.Cluster = full.TLS, nil, full.Cluster
	least.Assistants.TenantClaim, least.Assistants.DefaultScopes, least.Assistants.Origins = "org_id", []string{}, []string{}
	least.Pages = full.Pages
	if !reflect.DeepEqual(least, full) {
		t.Errorf("%+v\nwant\n%+v", show(least), show(full))
	}
}

// A struct without a file is checked alike.
func TestAConfigOfAProgramIsChecked(t *testing.T) {
	config := Config{
		PublicURL: "http://localhost:8443", Listen: "127.0.0.1:8443", Keys: filepath.Join(configtest.Files(t), "pagemcp.keys"),
		Assistants: Assistants{Issuer: "http://127.0.0.1:9000"},
		Pages:      Pages{Origins: []string{"http://localhost:5173"}, Tokens: Tokens{Issuer: "http://[::1]:9001"}},
	}
	if _, err := Load(config); err != nil {
		t.Error(err)
	}
	_, err := Load(Config{})
	want := "publicURL: it is missing; set the URL that clients use, like https://mcp.app.example\n" +
		"tls: it is missing, and `listen` is not on loopback; set tls: { cert: FILE, key: FILE }, or trustedProxies if a balancer ends TLS\n" +
		"assistants.issuer: it is missing; set the issuer of the access tokens of assistants\n" +
		"assistants.audience: it is empty; leave it out for publicURL + /mcp\n" +
		"pages.origins: it is missing; set the origins of your web app, like [https://app.example]\n" +
		"pages.tokens.issuer: it is missing; set the issuer of the join tokens of pages\n" +
		"keys: it is missing; set a file, and write one with `pagemcpd keygen`"
	if err == nil || err.Error() != want {
		t.Errorf("%v\nwant\n%s", err, want)
	}
}

func TestAMissingFileIsNamed(t *testing.T) {
	if _, err := LoadFile(filepath.Join(t.TempDir(), "none.yaml")); !os.IsNotExist(err) || !strings.Contains(err.Error(), "none.yaml") {
		t.Error(err)
	}
}

func TestProcessAndServerLimitsAreChecked(t *testing.T) {
	config := Config{Limits: map[string]int{"pages": 100, "streams": 50}}
	if err := config.CheckFileLimit(1_150); err != nil {
		t.Error(err)
	}
	want := "limits: 1149 open files are allowed, and 100 pages, 50 streams and 1000 others need 1150; raise the limit (ulimit -n, LimitNOFILE), or lower limits.pages and limits.streams"
	if err := config.CheckFileLimit(1_149); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if err := (Config{}).CheckFileLimit(40_999); err == nil || !strings.Contains(err.Error(), "need 41000") {
		t.Error(err)
	}
	config.Cluster = &Cluster{} // connections that are passed on count twice
	if err := config.CheckFileLimit(1_300); err != nil {
		t.Error(err)
	}
	if err := config.CheckFileLimit(1_299); err == nil {
		t.Error("too few files for a cluster")
	}
}

func TestProxiesAreAddressesOrPrefixes(t *testing.T) {
	for text, want := range map[string]string{
		"10.1.2.3": "10.1.2.3/32", "10.1.2.3/8": "10.0.0.0/8", "2001:db8::1": "2001:db8::1/128", "2001:db8::1/32": "2001:db8::/32",
		"::ffff:10.1.2.3": "10.1.2.3/32", "::ffff:10.1.2.3/104": "10.0.0.0/8", "::ffff:0.0.0.0/96": "0.0.0.0/0",
	} {
		if got, err := parseProxy(text); err != nil || got.String() != want {
			t.Errorf("%s: %v, %v, want %s", text, got, err, want)
		}
	}
}
