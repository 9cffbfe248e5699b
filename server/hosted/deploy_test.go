package hosted

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/hosted/internal/admin"
	"github.com/pagemcp/pagemcp/server/internal/access"
	"github.com/pagemcp/pagemcp/server/internal/gateway"
	"go.yaml.in/yaml/v4"
)

// The files of the operator's guide.
const (
	guide  = "../../cmd/pagemcpd/README.md"
	deploy = "../../cmd/pagemcpd/deploy"
)

// containerUser is that of the image and the manifests: it has no name and owns nothing.
const containerUser = 65532

func readGuide(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Each event of the failure table has a section of the runbook, and each alert names one.
func TestTheRunbookHasAllEvents(t *testing.T) {
	text := readGuide(t, guide)
	anchors := map[string]bool{}
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.+)$`).FindAllStringSubmatch(text, -1) {
		anchors["#"+strings.ReplaceAll(regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(heading[1]), ""), " ", "-")] = true
	}
	_, runbook, _ := strings.Cut(text, "\n## Runbook\n")
	for _, event := range []string{
		"A page reloads", "A page was closed", "A half-open page socket", "A node was killed", "A node is frozen or its machine is lost", "A node drains or is upgraded",
		"A node loses NATS for less than 15 s", "A node is isolated for more than 15 s", "A NATS server was killed", "A NATS server is frozen", "NATS is split in two sides",
		"NATS is away for all nodes", "JetStream has lost its leader or its quorum", "A frame was lost or a node is slow", "Two holders of one page", "Issuer or JWKS down",
		"Clock of node or issuer wrong", "All nodes were restarted", "Keys were rotated",
	} {
		if !strings.Contains(runbook, "\n### "+event+"\n") {
			t.Errorf("the runbook has no section %q", event)
		}
	}
	links := regexp.MustCompile(`\]\((#[a-z0-9-]+)\)`).FindAllStringSubmatch(text, -1)
	links = append(links, regexp.MustCompile(`runbook: "(#[a-z0-9-]+)"`).FindAllStringSubmatch(readGuide(t, deploy+"/prometheus-rules.yaml"), -1)...)
	for _, link := range links {
		if !anchors[link[1]] {
			t.Errorf("there is no heading %s", link[1])
		}
	}
	for _, file := range regexp.MustCompile(`\]\((deploy/[^)#]+)\)`).FindAllStringSubmatch(text, -1) {
		if _, err := os.Stat(filepath.Join(filepath.Dir(guide), file[1])); err != nil {
			t.Error(err)
		}
	}
}

// Every metric of the dashboard and of the alerts exists, with the labels that they use.
func TestMetricsOfTheDashboardExist(t *testing.T) {
	m := newMetrics("1", nil)
	m.watch(func() nodeCounts { return nodeCounts{} })
	m.watchCluster(func() gateway.PeerStats { return gateway.PeerStats{} })
	m.watchReady(func() bool { return true })
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
			Rules []struct{ Alert, Expr string } `yaml:"rules"`
		} `yaml:"groups"`
	}
	if err := yaml.Unmarshal([]byte(readGuide(t, deploy+"/prometheus-rules.yaml")), &rules); err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			expressions[rule.Expr] = rule.Alert
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

// A manifest is an object of Kubernetes, as far as tests look at it.
type manifest struct {
	Kind     string
	Metadata struct{ Name string }
	Data     map[string]string
	Spec     struct {
		Replicas int
		Strategy struct {
			RollingUpdate struct {
				MaxUnavailable int `yaml:"maxUnavailable"`
			} `yaml:"rollingUpdate"`
		}
		MaxUnavailable  int    `yaml:"maxUnavailable"`
		SessionAffinity string `yaml:"sessionAffinity"`
		Ports           []struct {
			Name       string
			TargetPort string `yaml:"targetPort"`
		}
		PodSelector struct {
			MatchLabels map[string]string `yaml:"matchLabels"`
		} `yaml:"podSelector"`
		Ingress []struct {
			From  []any
			Ports []struct{ Port int }
		}
		Template struct{ Spec podSpec }
	}
}

type podSpec struct {
	Grace           int `yaml:"terminationGracePeriodSeconds"`
	SecurityContext struct {
		RunAsNonRoot bool `yaml:"runAsNonRoot"`
		RunAsUser    int  `yaml:"runAsUser"`
		FSGroup      int  `yaml:"fsGroup"`
	} `yaml:"securityContext"`
	Affinity   any
	Containers []struct {
		Args  []string
		Env   []struct{ Name, Value string }
		Ports []struct {
			Name          string
			ContainerPort int `yaml:"containerPort"`
		}
		LivenessProbe   probe `yaml:"livenessProbe"`
		ReadinessProbe  probe `yaml:"readinessProbe"`
		Resources       struct{ Limits struct{ Memory string } }
		SecurityContext struct {
			ReadOnly   bool  `yaml:"readOnlyRootFilesystem"`
			Escalation *bool `yaml:"allowPrivilegeEscalation"`
		} `yaml:"securityContext"`
		VolumeMounts []struct {
			Name      string
			MountPath string `yaml:"mountPath"`
		} `yaml:"volumeMounts"`
	}
	Volumes []struct {
		Name   string
		Secret *struct {
			DefaultMode int `yaml:"defaultMode"`
		}
	}
}

type probe struct {
	HTTPGet       struct{ Path, Port string } `yaml:"httpGet"`
	PeriodSeconds int                         `yaml:"periodSeconds"`
	Failures      int                         `yaml:"failureThreshold"`
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

// The manifests agree with the program: ports, probes, user, files, times and memory.
func TestManifestsAgreeWithTheProgram(t *testing.T) {
	all := manifests(t)
	deployment := all["Deployment/pagemcpd"]
	pod := deployment.Spec.Template.Spec
	if len(pod.Containers) != 1 {
		t.Fatalf("%d containers", len(pod.Containers))
	}
	container := pod.Containers[0]
	config := deployedConfig(t, all["ConfigMap/pagemcpd"].Data["pagemcp.yaml"])
	ports := map[string]int{}
	for _, port := range container.Ports {
		ports[port.Name] = port.ContainerPort
	}
	if config.Listen != fmt.Sprintf("0.0.0.0:%d", ports["https"]) || config.Admin.Listen != fmt.Sprintf("0.0.0.0:%d", ports["admin"]) {
		t.Errorf("the ports are %v, and the configuration listens on %s and %s", ports, config.Listen, config.Admin.Listen)
	}
	answers := admin.Handler(&admin.Readiness{}, http.NotFoundHandler())
	for name, probe := range map[string]probe{"/livez": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		w := httptest.NewRecorder()
		answers.ServeHTTP(w, httptest.NewRequest("GET", probe.HTTPGet.Path, nil))
		if w.Code != 200 || probe.HTTPGet.Path != name || probe.HTTPGet.Port != "admin" || probe.PeriodSeconds == 0 || probe.Failures < 2 {
			t.Errorf("%+v: %d", probe, w.Code)
		}
	}
	if time.Duration(pod.Grace)*time.Second <= drainTime {
		t.Errorf("the grace period is %d s, and a drain takes %v", pod.Grace, drainTime)
	}
	if deployment.Spec.Replicas != 3 || deployment.Spec.Strategy.RollingUpdate.MaxUnavailable != 0 || all["PodDisruptionBudget/pagemcpd"].Spec.MaxUnavailable != 1 || pod.Affinity == nil {
		t.Error("a rolling update may take more than one node at a time")
	}
	if user := pod.SecurityContext; !user.RunAsNonRoot || user.RunAsUser != containerUser || user.FSGroup != containerUser {
		t.Errorf("%+v", user)
	}
	if limits := container.SecurityContext; !limits.ReadOnly || limits.Escalation == nil || *limits.Escalation {
		t.Errorf("%+v", limits)
	}
	var memory, limit int
	for _, env := range container.Env {
		if _, err := fmt.Sscanf(env.Value, "%dMiB", &limit); env.Name != "GOMEMLIMIT" || err != nil {
			t.Errorf("%+v: %v", env, err)
		}
	}
	if _, err := fmt.Sscanf(container.Resources.Limits.Memory, "%dGi", &memory); err != nil || limit*100/(memory<<10) < 80 || limit*100/(memory<<10) > 95 {
		t.Errorf("GOMEMLIMIT is %d MiB of %d GiB", limit, memory)
	}
	mounts := map[string]string{}
	for _, mount := range container.VolumeMounts {
		mounts[mount.MountPath] = mount.Name
	}
	for _, file := range config.Files() {
		if *file.Name != "" && mounts[filepath.Dir(*file.Name)] == "" {
			t.Errorf("%s is %s, and nothing is mounted there", file.Key, *file.Name)
		}
	}
	if len(container.Args) != 2 || container.Args[0] != "--config" || mounts[filepath.Dir(container.Args[1])] != "config" || filepath.Base(container.Args[1]) != "pagemcp.yaml" {
		t.Errorf("%q", container.Args)
	}
	secrets := 0
	for _, volume := range pod.Volumes {
		if volume.Secret == nil {
			continue
		}
		if secrets++; volume.Secret.DefaultMode&0o007 != 0 || volume.Secret.DefaultMode&0o040 == 0 {
			t.Errorf("%s has the mode %04o", volume.Name, volume.Secret.DefaultMode)
		}
	}
	if secrets != 3 {
		t.Errorf("%d secrets", secrets)
	}
	service := all["Service/pagemcpd"].Spec
	if service.SessionAffinity != "None" || len(service.Ports) != 1 || service.Ports[0].TargetPort != "https" {
		t.Errorf("%+v", service)
	}
	for _, rule := range all["NetworkPolicy/pagemcpd"].Spec.Ingress {
		for _, port := range rule.Ports {
			if (port.Port == ports["https"]) == (len(rule.From) > 0) {
				t.Errorf("port %d is open to %v", port.Port, rule.From)
			}
		}
	}
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
		"cluster.nats.creds": "node.creds", "cluster.nats.tls.ca": "tls.crt", "cluster.nats.tls.cert": "tls.crt", "cluster.nats.tls.key": "tls.key"}
	for _, file := range written.Files() {
		if *file.Name != "" {
			replaced = strings.ReplaceAll(replaced, *file.Name, filepath.Join(dir, fixtures[file.Key]))
		}
	}
	if _, err := config.Read(configtest.Write(t, filepath.Join(dir, "pagemcp.yaml"), replaced, 0o444)); err != nil {
		t.Errorf("%v\n%s", err, replaced)
	}
	return plain.WithDefaults()
}

// Every configuration of the guide and its files is accepted by the real loader, and names
// the cluster that NATS has permissions for.
func TestConfigurationsOfTheGuideAreAccepted(t *testing.T) {
	texts := map[string]string{"k8s/configmap.yaml": manifests(t)["ConfigMap/pagemcpd"].Data["pagemcp.yaml"]}
	for i, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(readGuide(t, guide), -1) {
		texts[fmt.Sprint("README.md, block ", i)] = block[1]
	}
	for _, name := range []string{"compose/pagemcp.yaml"} {
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
			for _, subject := range []string{"pagemcp.1." + config.Cluster.Name + ".>", "$KV.pagemcp-" + config.Cluster.Name + "-sessions.>"} {
				if !strings.Contains(text, subject) {
					t.Errorf("%s: %s has no %s", name, nats, subject)
				}
			}
		}
	}
}

// The chart of NATS gets the permissions and times of nats.conf.
func TestValuesOfNATSAreThoseOfItsConfiguration(t *testing.T) {
	subjects := func(text string) []string {
		found := regexp.MustCompile(`(?m)^\s*(?:- )?"?((?:\$JS|\$KV|pagemcp|_INBOX)[^\s"]*)"?$`).FindAllStringSubmatch(text, -1)
		all := make([]string, len(found))
		for i, one := range found {
			all[i] = one[1]
		}
		return all
	}
	config, values := readGuide(t, deploy+"/nats.conf"), readGuide(t, deploy+"/k8s/nats-values.yaml")
	if a, b := subjects(config), subjects(values); !slices.Equal(a, b) || len(a) < 8 {
		t.Errorf("%q\n%q", a, b)
	}
	for _, setting := range []string{"ping_interval", "ping_max", "write_deadline", "max_payload", "verify_and_map", "system_account"} {
		value := func(text string) string {
			found := regexp.MustCompile(setting + `: "?([^\s",}]+)`).FindStringSubmatch(text)
			if found == nil {
				return "nothing"
			}
			return found[1]
		}
		if a, b := value(config), value(values); a != b {
			t.Errorf("%s is %s and %s", setting, a, b)
		}
	}
}

// The image is built as the guide says, runs as the user of the manifests, and its build
// has the Go of go.mod.
func TestImageAgreesWithTheGuide(t *testing.T) {
	image, readme := readGuide(t, deploy+"/Dockerfile"), readGuide(t, guide)
	const flags = `CGO_ENABLED=0 go build -trimpath -ldflags='-s -w'`
	for _, want := range []string{flags, "FROM scratch\n", fmt.Sprintf("USER %d:%d\n", containerUser, containerUser), "ca-certificates.crt", `ENTRYPOINT ["/pagemcpd"]`} {
		if !strings.Contains(image, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
	if !strings.Contains(readme, flags) {
		t.Error("the guide builds with other flags")
	}
	version := regexp.MustCompile(`(?m)^go (\d+\.\d+)`).FindStringSubmatch(readGuide(t, "../../go.mod"))[1]
	if !strings.Contains(image, "FROM golang:"+version+"@sha256:") {
		t.Errorf("the Dockerfile does not build with Go %s", version)
	}
	full := config.Config{}.WithDefaults()
	for _, address := range []string{full.Listen, full.Admin.Listen} {
		if _, port, _ := strings.Cut(address, ":"); !regexp.MustCompile(`EXPOSE.*\b` + port + `\b`).MatchString(image) {
			t.Errorf("port %s is not exposed", port)
		}
	}
}

// The nodes of compose.yaml get what they need, and the balancer is the one that they trust.
func TestComposeAgreesWithTheProgram(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			Grace       string `yaml:"stop_grace_period"`
			ReadOnly    bool   `yaml:"read_only"`
			Environment map[string]string
			Volumes     []string
			Networks    map[string]struct {
				Address string `yaml:"ipv4_address"`
			}
		}
	}
	text := strings.ReplaceAll(readGuide(t, deploy+"/compose.yaml"), "networks: { default: {} }", "")
	if err := yaml.Unmarshal([]byte(text), &compose); err != nil {
		t.Fatal(err)
	}
	config := parsed(t, readGuide(t, deploy+"/compose/pagemcp.yaml"))
	for i := 1; i <= 3; i++ {
		node, nats := compose.Services[fmt.Sprint("node", i)], compose.Services[fmt.Sprint("nats", i)]
		if grace, err := time.ParseDuration(node.Grace); err != nil || grace <= drainTime || !node.ReadOnly || node.Environment["GOMEMLIMIT"] == "" {
			t.Errorf("%+v: %v", node, err)
		}
		if want := fmt.Sprintf("tls://nats%d:4222", i); nats.Environment["NATS_NAME"] != fmt.Sprint("nats", i) || !slices.Contains(config.Cluster.NATS.URLs, want) {
			t.Errorf("%+v, and %q", nats.Environment, config.Cluster.NATS.URLs)
		}
	}
	if address := compose.Services["caddy"].Networks["default"].Address; !slices.Equal(config.TrustedProxies, []string{address}) {
		t.Errorf("the balancer is %s, and the nodes trust %q", address, config.TrustedProxies)
	}
	caddy := readGuide(t, deploy+"/compose/Caddyfile")
	for _, want := range []string{strings.TrimPrefix(config.PublicURL, "https://") + " {", strings.TrimPrefix(config.Pages.Tokens.Issuer, "https://") + " {", "health_uri /readyz", "health_port 9090", "lb_policy least_conn"} {
		if !strings.Contains(caddy, want) {
			t.Errorf("the Caddyfile has no %s", want)
		}
	}
	script := readGuide(t, deploy+"/compose/init.sh")
	for _, file := range config.Files() {
		if *file.Name == "" {
			continue
		}
		if base := filepath.Base(*file.Name); filepath.Dir(*file.Name) != "/run/pagemcp" || !strings.Contains(script, strings.TrimSuffix(strings.TrimSuffix(base, ".crt"), ".key")) {
			t.Errorf("%s is %s, which init.sh does not make", file.Key, *file.Name)
		}
	}
}
