package clientconfig

import (
	"testing"
)

// fuzzFormat checks that no text makes an editor panic or change more than the entry, and
// that removal is the inverse of installation.
func fuzzFormat(f *testing.F, tested format, more ...string) {
	goldenCases(f, func(c Client, _, _ string, before []byte) {
		if c.format == tested {
			f.Add(string(before))
		}
	})
	for _, text := range more {
		f.Add(text)
	}
	var client Client
	for _, c := range Clients() {
		if c.format == tested {
			client = c
			break
		}
	}
	if _, ok := tested.(jsonFormat); ok {
		client, _ = ClientNamed("vscode")
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := testServer()
		servers := []Server{s}
		if client.ID == "vscode" { // two places
			s.URL = "http://127.0.0.1:8808/mcp"
			servers = append(servers, s)
		}
		for _, s := range servers {
			all := mustPlace(t, client, s)
			e, err := install(client.format, []byte(text), all)
			if err != nil {
				continue
			}
			checkInverse(t, client.format, []byte(text), e, all)
		}
		if _, err := uninstall(client.format, []byte(text), []place{{client.parent, "a", false}}); err != nil {
			return
		}
	})
}

func FuzzJSON(f *testing.F) {
	fuzzFormat(f, jsonFormat{}, "", "{}", "null", "[]", `{"servers":{}}`, "{\"servers\":{\n}}", "{\"servers\":{ }}\n", "{\"servers\":{\n\n}\n}", "{\"servers\":{//\n}}",
		"{\"servers\":{/*\n*/\"a\":1}}", "{\"servers\":{\"a\":1,\"pagemcp\":2}}", "{\"servers\":{\"a\":1,\n\"pagemcp\":2,\n}}", `{"servers":{},"servers":{}}`,
		`{"servers":null}`, "{\"inputs\":[{\"id\":\"pagemcp\"},],\"servers\":{\r\n}}", "\ufeff{}", "// c")
}

func FuzzTOML(f *testing.F) {
	fuzzFormat(f, tomlFormat{}, "", "\n", "a=1", "a=1\n", "[mcp_servers]\n", "[mcp_servers]\npagemcp={}\na=1\n", "mcp_servers={}", "mcp_servers.pagemcp.command=1\n",
		"[[mcp_servers]]\n", "[mcp_servers.pagemcp]\ncommand='x' # c\n# d\n\n[mcp_servers.pagemcp.env]\na=1", "a='''\n# x'''\r\n", "[mcp_servers.pagemcp]\r\n\r\n[b]\r\n", "\ufeffa=1")
}

func FuzzYAML(f *testing.F) {
	fuzzFormat(f, yamlFormat{}, "", "\n", "a: 1", "extensions:\n", "extensions: {}\n", "extensions:\n  a: 1\n", "extensions: # c\n    # d\n    a:\n        b: 1\n# e\nc: d\n",
		"extensions:\n  a: |\n    x\n    # y\n", "? extensions\n: a: 1\n", "extensions:\n  pagemcp: 1\n", "extensions: &x\n  a: *x\n", "---\nextensions:\n  a: 1\n---\n", "  extensions:\r\n    a: 1\r\n",
		"extensions:\n  a: 1\n  pagemcp:\n    env: |+\n      x\n\n\n  b: 2\n", "extensions:\n\n  a: 1\n...\n")
}
