package config

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
)

// Each row changes one part of the minimal configuration, which is accepted.
func TestReasonsNotToStart(t *testing.T) {
	const (
		public  = "publicURL: https://mcp.app.example"
		proxies = "trustedProxies: [10.0.0.0/8]"
		issuer  = "{ issuer: https://auth.app.example }"
		origins = `origins: ["https://app.example"]`
		tokens  = "{ issuer: https://app.example }"
		keys    = "keys: pagemcp.keys"
		noTLS   = "the URL must begin with https://; http is accepted on loopback only"
	)
	dir := configtest.Files(t)
	configtest.Write(t, filepath.Join(dir, "short.keys"), "c2hvcnQ", 0o400)
	configtest.Write(t, filepath.Join(dir, "open.keys"), configtest.Key(1), 0o644)
	private, err := os.ReadFile(filepath.Join(dir, "tls.key"))
	if err != nil {
		t.Fatal(err)
	}
	configtest.Write(t, filepath.Join(dir, "open.key"), string(private), 0o644)
	configtest.Write(t, filepath.Join(dir, "open.creds"), "credentials", 0o644)
	configtest.Write(t, filepath.Join(dir, "garbage"), "garbage", 0o400)
	if _, refused := readText(t, dir, minimal); refused != "" {
		t.Fatal(refused)
	}
	cluster := func(nats string) string {
		return keys + "\ncluster: { name: prod, internal: { allowPlaintext: true }, nats: " + nats + " }"
	}
	inside := func(internal string) string {
		return keys + "\ncluster: { name: prod, nats: { urls: [nats://127.0.0.1:4222] }, internal: " + internal + " }"
	}
	for _, row := range []struct{ old, text, want string }{
		{public, "", "publicURL: it is missing; set the URL that clients use, like https://mcp.app.example\nassistants.audience: it is empty; leave it out for publicURL + /mcp"},
		{public, "publicURL: http://mcp.app.example", "publicURL: " + noTLS},
		{public, "publicURL: mcp.app.example", "publicURL: it is not a URL; want one like https://app.example"},
		{public, "publicURL: https://mcp.app.example/mcp", "publicURL: want scheme and host alone, like https://mcp.app.example; /mcp and /page are below it"},
		{public, "publicURL: https://user:secret@mcp.app.example", "publicURL: the URL contains credentials; remove them"},

		{proxies, "", "tls: it is missing, and `listen` is not on loopback; set tls: { cert: FILE, key: FILE }, or trustedProxies if a balancer ends TLS"},
		{proxies, "listen: 192.0.2.1:8443", "tls: it is missing, and `listen` is not on loopback; set tls: { cert: FILE, key: FILE }, or trustedProxies if a balancer ends TLS"},
		{proxies, "trustedProxies: [10.0.0.0/33]", `trustedProxies: "10.0.0.0/33" is neither an IP address nor a prefix like 10.0.0.0/8`},
		{proxies, "trustedProxies: [10.0.0.1, '::/0']", `trustedProxies: "::/0" trusts all addresses; name those of the balancer`},
		{proxies, "trustedProxies: ['::ffff:0.0.0.0/96']", `trustedProxies: "::ffff:0.0.0.0/96" trusts all addresses; name those of the balancer`},
		{proxies, "trustedProxies: ['fe80::1%eth0']", `trustedProxies: "fe80::1%eth0" is neither an IP address nor a prefix like 10.0.0.0/8`},
		{proxies, "tls: { cert: tls.crt }", "tls: want both the file of the certificate and that of its key, { cert: FILE, key: FILE }"},
		{proxies, "tls: { cert: garbage, key: tls.key }", "tls: tls: failed to find any PEM data in certificate input; want a certificate chain in garbage and its private key in tls.key, both in PEM"},
		{proxies, proxies + "\nlisten: 0.0.0.0:65536", `listen: "0.0.0.0:65536" is not an address; want IP address and port, like 0.0.0.0:8443`},
		{proxies, proxies + "\nadmin: { listen: 0.0.0.0:8443 }", "admin.listen: it is the address of `listen`; set another port"},

		{issuer, "{}", "assistants.issuer: it is missing; set the issuer of the access tokens of assistants"},
		{issuer, "{ issuer: http://auth.app.example }", "assistants.issuer: " + noTLS},
		{issuer, "{ issuer: https://auth.app.example, jwks: http://auth.app.example/keys }", "assistants.jwks: " + noTLS},
		{issuer, "{ issuer: https://auth.app.example, jwks: garbage }", "assistants.jwks: read the key set: jsontext: invalid character 'g' at start of value; want a URL, or a file of a JWK Set with public keys"},
		{issuer, "{ issuer: https://auth.app.example, audience: [] }", "assistants.audience: it is empty; leave it out for publicURL + /mcp"},
		{issuer, "{ issuer: https://auth.app.example, challengeScopes: [read] }", `assistants.challengeScopes: there is no scope "read"; want one of resources:read, prompts:get, tools:call`},
		{issuer, "{ issuer: https://auth.app.example, defaultScopes: ['*'] }", `assistants.defaultScopes: there is no scope "*"; want one of resources:read, prompts:get, tools:call`},
		{issuer, "{ issuer: https://auth.app.example, scopes: { read: a } }", `assistants.scopes: there is no scope "read"; want one of resources:read, prompts:get, tools:call`},
		{issuer, "{ issuer: https://auth.app.example, scopes: { 'tools:call': a b } }", `assistants.scopes: want the issuer's name of "tools:call", without blanks and quotation marks`},
		{issuer, "{ issuer: https://auth.app.example, origins: ['https://*.client.example'] }", `assistants.origins: origin "https://*.client.example": name one exact host, there are no patterns`},
		{issuer, "{ issuer: https://auth.app.example, origins: ['https://user:secret@client.example'] }", "assistants.origins: it has an entry with credentials; want scheme and host alone"},

		{origins, "origins: []", "pages.origins: it is missing; set the origins of your web app, like [https://app.example]"},
		{origins, "origins: ['*']", "pages.origins: origin \"*\": `*` stands for the leftmost label of an https host, as in https://*.app.example"},
		{origins, origins + `, sampling: ['*']`, "pages.sampling: origin \"*\": `*` stands for the leftmost label of an https host, as in https://*.app.example"},
		{origins, origins + `, sampling: ['https://user:secret@app.example']`, "pages.sampling: it has an entry with credentials; want scheme and host alone"},
		{tokens, "{}", "pages.tokens.issuer: it is missing; set the issuer of the join tokens of pages"},
		{tokens, "{ issuer: http://app.example }", "pages.tokens.issuer: " + noTLS},
		{tokens, "{ issuer: https://app.example, jwks: http://app.example/keys }", "pages.tokens.jwks: " + noTLS},
		{tokens, "{ issuer: https://app.example, jwks: none.json }", "pages.tokens.jwks: open none.json: no such file or directory; want a URL, or a file of a JWK Set with public keys"},

		{keys, "", "keys: it is missing; set a file, and write one with `pagemcpd keygen`"},
		{keys, "keys: none.keys", "keys: none.keys does not exist; write one with `pagemcpd keygen`"},
		{keys, "keys: short.keys", "keys: short.keys: the key in line 1 has 5 bytes, want 32; write one with `pagemcpd keygen`"},
		{keys, "keys: " + configtest.Key(1), "keys: it contains a secret; set the name of a file, and replace the secret"},
		{keys, "keys: open.keys", "keys: open.keys is open to all users of the machine (mode 0644); run `chmod 0440 open.keys`, or set `defaultMode: 0440` in Kubernetes"},

		{proxies, "tls: { cert: tls.crt, key: open.key }", "tls.key: open.key is open to all users of the machine (mode 0644); run `chmod 0440 open.key`, or set `defaultMode: 0440` in Kubernetes"},
		{keys, cluster("{ urls: [tls://nats:4222], creds: open.creds }"), "cluster.nats.creds: open.creds is open to all users of the machine (mode 0644); run `chmod 0440 open.creds`, or set `defaultMode: 0440` in Kubernetes"},

		{keys, cluster("{}"), "cluster.nats.urls: it is missing; set the NATS servers, like [tls://nats:4222], or remove `cluster` for a single node"},
		{keys, cluster("{ urls: [nats://nats:4222], creds: node.creds }"), "cluster.nats.urls: the connection to nats:4222 is not encrypted; use tls://, or set allowPlaintext: true if the network is encrypted"},
		{keys, cluster("{ urls: [http://nats], creds: node.creds }"), "cluster.nats.urls: the URL of nats must begin with tls:// or wss://"},
		{keys, cluster("{ urls: ['nats:4222'], creds: node.creds }"), "cluster.nats.urls: it has an entry that is not a URL; want tls://host:4222"},
		{keys, cluster("{ urls: ['tls://user:secret@nats:4222'] }"), "cluster.nats.urls: the URL of nats:4222 contains credentials; remove them, and set cluster.nats.creds\n" +
			"cluster.nats.creds: it is missing; set the credentials file of the node's NATS user, or a client certificate in cluster.nats.tls"},
		{keys, cluster("{ urls: [tls://nats:4222] }"), "cluster.nats.creds: it is missing; set the credentials file of the node's NATS user, or a client certificate in cluster.nats.tls"},
		{keys, cluster("{ urls: [tls://nats:4222], creds: none }"), "cluster.nats.creds: open none: no such file or directory; want the credentials file of the node's NATS user"},
		{keys, cluster("{ urls: [tls://nats:4222], creds: node.creds, tls: { ca: garbage } }"), "cluster.nats.tls.ca: garbage has no certificate; want those of authorities in PEM"},
		{keys, cluster("{ urls: [tls://nats:4222], tls: { cert: tls.crt } }"), "cluster.nats.tls: want both the file of the certificate and that of its key, { cert: FILE, key: FILE }"},
		{keys, inside("{}"), "cluster.internal.tls: it is missing; set { ca: FILE, cert: FILE, key: FILE } with a certificate for the name pagemcpd of an authority of your own, or cluster.internal.allowPlaintext: true if the network is encrypted"},
		{keys, inside("{ tls: { cert: tls.crt, key: tls.key } }"), "cluster.internal.tls: want three files, { ca: FILE, cert: FILE, key: FILE }"},
		{keys, inside("{ tls: { ca: garbage, cert: tls.crt, key: tls.key } }"), "cluster.internal.tls.ca: garbage has no certificate; want those of authorities in PEM"},
		{keys, inside("{ listen: 'here', allowPlaintext: true }"), "cluster.internal.listen: \"here\" is not an address; want IP address and port, like 0.0.0.0:8443"},
		{keys, keys + "\ncluster: { name: 'a.*.>', internal: { allowPlaintext: true }, nats: { urls: [nats://127.0.0.1:4222] } }", "cluster.name: want 1 to 32 characters of a-z, 0-9 and `-`, like prod"},

		{keys, keys + "\nlimits: { pages: -1 }", "limits.pages: -1 is out of range; want 1 to 1000000, or leave it out for the default"},
		{keys, keys + "\nlimits: { joins: 1000001 }", "limits.joins: 1000001 is out of range; want 1 to 1000000, or leave it out for the default"},
		{keys, keys + "\nlog: { level: verbose }", `log.level: "verbose" is not possible; want one of debug, info, warn, error`},
		{keys, keys + "\naudit: { uris: none }", `audit.uris: "none" is not possible; want one of full, hash`},

		{keys, keys + "\nassistant: {}", `:7: there is no key "assistant" here; remove it, or correct its name`},
		{keys, "kees: pagemcp.keys\nlimits: { pages: -1 }", `:6: there is no key "kees" here; remove it, or correct its name`},
		{keys, keys + "\n\"a\\u0007\": 1", `:7: there is no key "a\a" here; remove it, or correct its name`},
		{tokens, "{ issuer: https://app.example, jwk: x }", `:5: there is no key "jwk" here; remove it, or correct its name`},
		{keys, keys + "\nkeys: other.keys", ":7: the key is in line 6 already; remove one of them"},
		{keys, "keys: [pagemcp.keys]", ":6: want text"},
		{keys, keys + "\nlimits: { pages: 1.5 }", ":7: want a whole number"},
		{keys, keys + "\nlimits: 7", ":7: want keys and values, `key: value`"},
		{proxies, "trustedProxies: 10.0.0.0/8", ":3: want a list, [a, b]"},
		{issuer, "{ issuer: https://auth.app.example, acceptTypJWT: 7 }", ":4: want true or false"},
		{keys, keys + "\n---\na: b", "the file has several documents; remove the line ---"},
	} {
		text := strings.Replace(minimal, row.old, row.text, 1)
		if text == minimal {
			t.Fatalf("%q is not in the minimal configuration", row.old)
		}
		want := strings.Split(row.want, "\n")
		for i, line := range want {
			if strings.HasPrefix(line, ":") {
				want[i] = "pagemcp.yaml" + line
			} else {
				want[i] = "pagemcp.yaml: " + line
			}
		}
		if runtime.GOOS == "windows" && (strings.Contains(row.text, "open.keys") || strings.Contains(row.want, "no such file")) {
			continue // permissions, and the text of the system
		}
		if _, got := readText(t, dir, text); got != strings.Join(want, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", row.text, got, strings.Join(want, "\n"))
		}
	}
	if _, got := readText(t, dir, "a: [b\n"); !strings.HasPrefix(got, "pagemcp.yaml:") || !strings.Contains(got, "the file is not valid YAML") {
		t.Error(got)
	}
	if _, got := readText(t, dir, strings.Repeat("#", maxConfigFile+1)); got != "pagemcp.yaml: the file is longer than 1024 KiB" {
		t.Error(got)
	}
}

func TestAcceptedVariants(t *testing.T) {
	dir := configtest.Files(t)
	for _, row := range []struct{ old, text string }{
		{"publicURL: https://mcp.app.example", "publicURL: http://127.0.0.1:8443/"},
		{"trustedProxies: [10.0.0.0/8]", "listen: localhost:8443"},
		{"trustedProxies: [10.0.0.0/8]", "listen: '[::1]:0'\nadmin: { listen: '[::1]:0' }"},
		{"trustedProxies: [10.0.0.0/8]", "trustedProxies: [10.1.2.3, '2001:db8::/32', '::ffff:10.0.0.1']"},
		{"trustedProxies: [10.0.0.0/8]", "trustedProxies: [10.0.0.0/8]\ntls: { cert: tls.crt, key: tls.key }"},
		{"trustedProxies: [10.0.0.0/8]", "trustedProxies: [10.0.0.0/8]\ncluster:\nlimits:\n"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: dev, internal: { listen: '127.0.0.1:0' }, nats: { urls: [nats://127.0.0.1:4222, 'ws://[::1]:80'] } }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: dev, internal: { allowPlaintext: true }, nats: { urls: [nats://nats:4222], creds: node.creds, allowPlaintext: true } }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: dev, internal: { tls: { ca: tls.crt, cert: tls.crt, key: tls.key } }, nats: { urls: [tls://nats:4222], tls: { ca: tls.crt, cert: tls.crt, key: tls.key } } }"},
		{"{ issuer: https://app.example }", "{ issuer: https://app.example, jwks: keys.json }"},
		{"{ issuer: https://auth.app.example }", "{ issuer: https://auth.app.example, acceptTypJWT: true, scopes: { 'tools:call': 'https://api.example/tools' } }"},
	} {
		text := strings.Replace(minimal, row.old, row.text, 1)
		if _, got := readText(t, dir, text); got != "" || text == minimal {
			t.Errorf("%s: %s", row.text, got)
		}
	}
}

// A secret in a wrong place is not in an error, and secrets are in no output of a Config.
func TestSecretsAreInNoOutput(t *testing.T) {
	dir := configtest.Files(t)
	secret := configtest.Key('S')
	for _, row := range []struct{ old, text string }{
		{"https://mcp.app.example", "https://user:" + secret + "@mcp.app.example"},
		{"https://mcp.app.example", "https://mcp.app.example?key=" + secret},
		{"https://mcp.app.example", secret},
		{"issuer: https://auth.app.example", "issuer: 'https://" + secret + "@auth.app.example'"},
		{"issuer: https://auth.app.example", "issuer: 'http://auth.app.example/?key=" + secret + "'"},
		{"issuer: https://auth.app.example", "issuer: https://auth.app.example, jwks: 'https://a:" + secret + "@b'"},
		{"issuer: https://auth.app.example", "issuer: https://auth.app.example, origins: ['https://a:" + secret + "@b']"},
		{`origins: ["https://app.example"]`, `origins: ["https://` + secret + `@app.example"]`},
		{"keys: pagemcp.keys", "keys: " + secret},
		{"keys: pagemcp.keys", "keys: |\n  " + secret + "\n  " + configtest.Key(2) + "\n"},
		{"keys: pagemcp.keys", "keys: " + strings.ReplaceAll(configtest.Key(0xfb), "-", "+") + "= # " + secret},
		{"keys: pagemcp.keys", "keys: |\n  # " + secret},
		{"keys: pagemcp.keys", "keys: [" + secret + "]"},
		{"trustedProxies: [10.0.0.0/8]", "tls: { cert: tls.crt, key: '-----BEGIN PRIVATE KEY-----" + secret + "' }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: prod, nats: { urls: ['tls://nats:4222'], creds: '-----BEGIN NATS USER JWT-----" + secret + "' } }"},
		{"issuer: https://auth.app.example", "issuer: https://auth.app.example, jwks: \"{\\n" + secret + "}\""},
		{"keys: pagemcp.keys", "keys: { file: " + secret + " }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\nsecret: " + secret},
		{"keys: pagemcp.keys", "keys: *" + secret},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\nlimits: { pages: " + secret + " }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: prod, nats: { urls: ['tls://user:" + secret + "@nats:4222'], creds: node.creds } }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: prod, nats: { urls: ['nats://" + secret + "@nats:4222'], creds: node.creds } }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: prod, nats: { urls: ['tls://a:" + secret + "/b@nats:4222'], creds: node.creds } }"},
		{"keys: pagemcp.keys", "keys: pagemcp.keys\ncluster: { name: " + secret + ", nats: { urls: ['tls://nats:4222'], creds: node.creds } }"},
	} {
		text := strings.Replace(minimal, row.old, row.text, 1)
		if _, got := readText(t, dir, text); got == "" || strings.Contains(got, secret) {
			t.Errorf("%s: %s", row.text, got)
		}
	}
	config := Config{
		PublicURL: "https://user:" + secret + "@mcp.app.example?" + secret, Listen: "127.0.0.1:1", Keys: secret,
		Assistants: Assistants{Issuer: "https://" + secret + "@auth.app.example", JWKS: secret},
		Pages:      Pages{Tokens: Tokens{"https://app.example#" + secret, secret}},
		Cluster:    &Cluster{"prod", Internal{}, NATS{URLs: []string{"tls://" + secret + "@nats"}, Creds: secret}},
	}
	var log bytes.Buffer
	slog.New(slog.NewJSONHandler(&log, nil)).Info("start", "config", config, "pointer", &config)
	slog.New(slog.NewTextHandler(&log, nil)).Info("start", "config", config, "nested", struct{ Config Config }{config})
	output := log.String() + fmt.Sprint(config, &config) + fmt.Sprintf("%v %+v %#v %s %q", config, &config, config, config, struct{ C *Config }{&config})
	if strings.Contains(output, secret) {
		t.Error(output)
	}
	if !strings.Contains(output, "publicURL=https://mcp.app.example listen=127.0.0.1:1") || !strings.Contains(output, `"cluster":"prod"`) {
		t.Error(output)
	}
}

func FuzzConfigurationsAreReadOrRefused(f *testing.F) {
	f.Add([]byte(example))
	f.Add([]byte(minimal))
	for _, text := range []string{"", "a", "[]", "{}", "? []", "a: *a", "&a a: *a", "<<: {}", "--- 1\n--- 2", "limits: {pages: 99999999999999999999}", "\xff\xfe", "!!binary a: b", "cluster: {nats: {urls: [1, {}, ~]}}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		config, err := parse(text)
		if err != nil {
			return
		}
		for _, file := range config.Files() { // nothing of this machine is read
			*file.Name = ""
		}
		Load(config)
		_ = fmt.Sprint(config)
	})
}
