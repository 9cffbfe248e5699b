package hosted

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"go.yaml.in/yaml/v4"
)

// The page for operators, and the files that it names.
const (
	guide  = "../../web/docs/hosted.md"
	deploy = "../../cmd/pagemcpd/deploy"
)

func readGuide(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Every metric of the dashboard and of the alerts exists, with the labels that they use. Each
// alert names a section of the page for operators.
func TestMetricsOfTheDashboardExist(t *testing.T) {
	t.Parallel()
	m := newMetrics("1", nil)
	m.watch(func() nodeCounts { return nodeCounts{} }, func() bool { return true })
	m.watchCluster(func() clusterCounts { return clusterCounts{} })
	m.fetched(pageIssuer)(0, nil)
	m.auditing(noAudit{}).Record(access.Entry{Endpoint: "/mcp", Verb: "resources/read", Outcome: "ok"})
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]map[string]bool{}
	for _, family := range families {
		labels := map[string]bool{"instance": true, "le": true}
		for _, metric := range family.GetMetric() {
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = true
			}
		}
		known[family.GetName()] = labels
		if family.GetType().String() == "HISTOGRAM" {
			known[family.GetName()+"_bucket"] = labels
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(readGuide(t, deploy+"/grafana.json")), &dashboard, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	expressions := map[string]string{}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions[target.Expr] = panel.Title
		}
	}
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr string
				Annotations struct{ Runbook string }
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal([]byte(readGuide(t, deploy+"/prometheus-rules.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			expressions[rule.Expr] = rule.Alert
			section := strings.ReplaceAll(strings.TrimPrefix(rule.Annotations.Runbook, "#"), "-", " ")
			if text := strings.ToLower(readGuide(t, guide)); section == "" || !strings.Contains(text, "## "+section+"\n") {
				t.Errorf("%s: the page for operators has no section %q", rule.Alert, section)
			}
		}
	}
	used := regexp.MustCompile(`\b((?:pagemcp|process|go)_[a-z_]+)(?:\{([^}]*)\})?`)
	seen := map[string]bool{}
	for expression, where := range expressions {
		found := used.FindAllStringSubmatch(expression, -1)
		if len(found) == 0 {
			t.Errorf("%s: %q has no metric", where, expression)
		}
		for _, one := range found {
			name, labels := one[1], known[one[1]]
			seen[strings.TrimSuffix(name, "_bucket")] = true
			if labels == nil {
				t.Errorf("%s: there is no metric %s", where, name)
			}
			for _, label := range regexp.MustCompile(`([a-z]+)[=!]`).FindAllStringSubmatch(one[2], -1) {
				if !labels[label[1]] {
					t.Errorf("%s: %s has no label %s", where, name, label[1])
				}
			}
		}
	}
	for name := range known {
		if strings.HasPrefix(name, "pagemcp_") && !seen[strings.TrimSuffix(name, "_bucket")] {
			t.Errorf("%s is on no panel", name)
		}
	}
}

// A node starts with the limits and the open files of each row of the table of sizes, and with
// one file less it does not.
func TestSizesOfTheGuideAreEnough(t *testing.T) {
	t.Parallel()
	number := func(text string) (n int) {
		fmt.Sscan(strings.ReplaceAll(text, ",", ""), &n)
		return n
	}
	rows := regexp.MustCompile(`(?m)^\| [\d,]+ \| (\d+) \| ([\d,]+) \| \w+ \| ([\d,]+) \|$`).FindAllStringSubmatch(readGuide(t, guide), -1)
	if len(rows) == 0 {
		t.Fatal("there is no table of sizes")
	}
	for _, row := range rows {
		of := config.Config{Limits: map[string]int{"pages": number(row[2]), "streams": number(row[2])}}
		if row[1] != "1" {
			of.Cluster = &config.Cluster{}
		}
		files := uint64(number(row[3]))
		if err := of.CheckFileLimit(files); err != nil {
			t.Errorf("%s: %v", row[0], err)
		}
		if of.CheckFileLimit(files-1) == nil {
			t.Errorf("%s: fewer open files are enough", row[0])
		}
	}
}

// A manifest is an object of Kubernetes, as far as tests look at it.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
}

// manifests returns all objects of the directory k8s, by kind and name.
func manifests(t testing.TB) map[string]manifest {
	t.Helper()
	all := map[string]manifest{}
	names, err := filepath.Glob(deploy + "/k8s/*.yaml")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	listed := readGuide(t, deploy+"/k8s/kustomization.yaml")
	for _, name := range names {
		base := filepath.Base(name)
		if base == "nats-values.yaml" || base == "kustomization.yaml" {
			continue
		}
		if !strings.Contains(listed, "- "+base+"\n") && base != "secret.yaml" {
			t.Errorf("%s is not in kustomization.yaml", base)
		}
		for documents := yaml.NewDecoder(strings.NewReader(readGuide(t, name))); ; {
			var one manifest
			if err := documents.Decode(&one); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", base, err)
			}
			all[one.Kind+"/"+one.Metadata.Name] = one
		}
	}
	return all
}

// parsed returns a configuration as it is written.
func parsed(t testing.TB, text string) (c config.Config) {
	t.Helper()
	if err := yaml.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// deployedConfig reads a configuration of the guide with the real loader: its files are in
// a directory of the test.
func deployedConfig(t *testing.T, text string) config.Config {
	t.Helper()
	dir := configtest.Files(t)
	plain := parsed(t, text)
	replaced := text
	written := plain
	if plain.Cluster != nil {
		cluster := *plain.Cluster
		written.Cluster = &cluster
	}
	fixtures := map[string]string{"keys": "pagemcp.keys", "tls.cert": "tls.crt", "tls.key": "tls.key", "assistants.jwks": "keys.json", "pages.tokens.jwks": "keys.json",
		"cluster.internal.tls.ca": "tls.crt", "cluster.internal.tls.cert": "tls.crt", "cluster.internal.tls.key": "tls.key", "cluster.nats.creds": "node.creds", "cluster.nats.tls.ca": "tls.crt", "cluster.nats.tls.cert": "tls.crt", "cluster.nats.tls.key": "tls.key"}
	for _, file := range written.Files() {
		if *file.Name != "" {
			replaced = strings.ReplaceAll(replaced, *file.Name, filepath.Join(dir, fixtures[file.Key]))
		}
	}
	if _, err := config.LoadFile(configtest.Write(t, filepath.Join(dir, "pagemcp.yaml"), replaced, 0o444)); err != nil {
		t.Errorf("%v\n%s", err, replaced)
	}
	return plain.WithDefaults()
}

// Every configuration of the guide and its files is accepted by the real loader, and names
// the cluster that NATS has permissions for.
func TestConfigurationsOfTheGuideAreAccepted(t *testing.T) {
	t.Parallel()
	texts := map[string]string{"k8s/configmap.yaml": manifests(t)["ConfigMap/pagemcpd"].Data["pagemcp.yaml"]}
	for i, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readGuide(t, guide), -1) {
		texts[fmt.Sprint("hosted.md, block ", i)] = block[1]
	}
	for _, name := range []string{"compose/pagemcp.yaml", "pagemcp.yaml"} {
		if text, err := os.ReadFile(filepath.Join(deploy, name)); err == nil {
			texts[name] = string(text)
		}
	}
	if len(texts) < 2 {
		t.Errorf("only %d configurations", len(texts))
	}
	for name, text := range texts {
		config := deployedConfig(t, text)
		if config.Cluster == nil {
			continue
		}
		for _, nats := range []string{"nats.conf", "k8s/nats-values.yaml"} {
			text := readGuide(t, filepath.Join(deploy, nats))
			for _, subject := range []string{"$KV.pagemcp-" + config.Cluster.Name + "-nodes.>", "$KV.pagemcp-" + config.Cluster.Name + "-sessions.>"} {
				if !strings.Contains(text, subject) {
					t.Errorf("%s: %s has no %s", name, nats, subject)
				}
			}
		}
	}
}
