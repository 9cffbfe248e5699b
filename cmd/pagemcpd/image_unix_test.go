//go:build unix

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

const testTime = 60 * time.Second

// The packages that the image is built from, and what they embed, pass the .dockerignore.
func TestImageGetsAllItIsBuiltFrom(t *testing.T) {
	text, err := os.ReadFile("deploy/Dockerfile.dockerignore")
	if err != nil {
		t.Fatal(err)
	}
	var allowed []string
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "!"); ok {
			allowed = append(allowed, path)
		}
	}
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=Dir,Module,GoFiles,EmbedFiles", ".", "../../server/hosted/demo").Output()
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	files := 0
	for packages := json.NewDecoder(bytes.NewReader(out)); packages.More(); {
		var one struct {
			Dir                 string
			Module              *struct{ Main bool }
			GoFiles, EmbedFiles []string
		}
		if err := packages.Decode(&one); err != nil {
			t.Fatal(err)
		}
		if one.Module == nil || !one.Module.Main {
			continue
		}
		for _, name := range append(one.GoFiles, one.EmbedFiles...) {
			path, err := filepath.Rel(root, filepath.Join(one.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			files++
			passes := false
			for _, prefix := range allowed {
				passes = passes || path == prefix || strings.HasPrefix(filepath.ToSlash(path), prefix+"/")
			}
			if !passes || strings.Contains(path, "testdata") {
				t.Errorf("%s is not in the context of the build", path)
			}
		}
	}
	if files < 50 {
		t.Errorf("only %d files", files)
	}
}

// The program as it is in the image starts in an empty directory with nothing but its
// configuration, is ready, and ends with 0 after SIGTERM.
func TestImageServes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long: make test-more")
	}
	dockerfile, err := os.ReadFile("deploy/Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if want := "CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o /out/pagemcpd ./cmd/pagemcpd\n"; !strings.Contains(string(dockerfile), want) {
		t.Fatalf("the Dockerfile has no %s", want)
	}
	dir := t.TempDir()
	binary := filepath.Join(dir, "pagemcpd")
	build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-ldflags=-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	key, err := exec.CommandContext(t.Context(), binary, "keygen").Output()
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "etc", "pagemcp.yaml")
	all := map[string]string{
		config: `publicURL: http://127.0.0.1:8443
listen: 127.0.0.1:0
admin: { listen: 127.0.0.1:0 }
assistants: { issuer: https://auth.app.example, jwks: keys.json }
pages: { origins: ["https://app.example"], tokens: { issuer: https://app.example, jwks: keys.json } }
keys: pagemcp.keys
limits: { pages: 10, streams: 10 }
`,
		filepath.Join(dir, "etc", "pagemcp.keys"): string(key),
		filepath.Join(dir, "etc", "keys.json"):    `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`,
	}
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), testTime)
	defer cancel()
	node := exec.CommandContext(ctx, binary, "--config", config)
	node.Dir, node.Env = t.TempDir(), []string{} // as in an image from scratch
	log, err := node.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	var serving struct{ Admin, Address string }
	lines := bufio.NewScanner(log)
	for serving.Admin == "" && lines.Scan() {
		if err := json.Unmarshal(lines.Bytes(), &serving); err != nil {
			t.Errorf("the log is not JSON: %s", lines.Text())
		}
	}
	for status := 0; status != http.StatusOK; {
		answer, err := http.Get("http://" + serving.Admin + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if status = answer.StatusCode; ctx.Err() != nil {
			t.Fatalf("/readyz is %d after %v: %s", status, testTime, text)
		}
		select {
		case <-time.After(10 * time.Millisecond): // between two questions
		case <-ctx.Done():
		}
	}
	if err := node.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		if !json.Valid(lines.Bytes()) {
			t.Errorf("the log is not JSON: %s", lines.Text())
		}
	}
	if err := node.Wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	if entries, err := os.ReadDir(node.Dir); err != nil || len(entries) > 0 {
		t.Errorf("it has written %v, %v", entries, err)
	}
}
