package hosted

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/server/hosted/config"
)

// Each warning and each error that a node logs has a line in the runbook, and the runbook has
// no other ones.
func TestTheRunbookHasAllLinesOfTheLog(t *testing.T) {
	logged := map[string]bool{}
	literal := regexp.MustCompile(`(?:\.(?:Warn|Error)\(|\.reject\(\w+, |\.report\()"((?:[^"\\]|\\.)*)"`)
	for _, pattern := range []string{"*.go", "../cluster/*.go", "../../cmd/pagemcpd/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, found := range literal.FindAllStringSubmatch(readGuide(t, file), -1) {
				logged[found[1]] = true
			}
		}
	}
	// The message of the only report ends with the key of its issuer.
	const report = "fetch the keys of "
	if !logged[report] {
		t.Errorf("nothing logs %q", report)
	}
	delete(logged, report)
	for _, kind := range []issuerKind{assistantIssuer, pageIssuer} {
		logged[report+kind.key()] = true
	}
	if len(logged) < 15 {
		t.Errorf("found %d messages", len(logged))
	}
	_, section, _ := strings.Cut(readGuide(t, guide), "\n### What the log says\n")
	_, section, _ = strings.Cut(section, "\n|---|---|\n")
	named := map[string]bool{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, " | ")
		for _, message := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[0], -1) {
			named[message[1]] = true
		}
	}
	for message := range logged {
		if !named[message] {
			t.Errorf("the runbook says nothing about %q", message)
		}
	}
	for message := range named {
		if !logged[message] {
			t.Errorf("nothing logs %q", message)
		}
	}
}

// memoryPerPage is what the table of sizes takes for a page whose user has an assistant at work.
const memoryPerPage = 130 << 10 // bytes

// fits reports what is wrong with the memory of a node that may have so many pages.
func fits(pages, memory int) error {
	if need := pages * memoryPerPage * 100 / 85; need > memory {
		return fmt.Errorf("%d pages need %d MiB, and GOMEMLIMIT is %d MiB", pages, need>>20, memory>>20)
	}
	return nil
}

// bytesOf reads a number of bytes as GOMEMLIMIT has it.
func bytesOf(t *testing.T, text string) int {
	t.Helper()
	for unit, shift := range map[string]int{"MiB": 20, "GiB": 30} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatal(err)
			}
			return n << shift
		}
	}
	t.Fatalf("%q is no number of bytes", text)
	return 0
}

// The table of sizes holds for its own figures, for the configuration and for the manifests.
func TestSizesFit(t *testing.T) {
	text := readGuide(t, guide)
	if !strings.Contains(text, "takes 130 KB for each page") {
		t.Error("the table of sizes takes another size of a page")
	}
	_, table, _ := strings.Cut(text, "\n### Sizes\n")
	rows := regexp.MustCompile(`(?m)^\| ([\d,]+) \| (\d+) \| ([\d,]+) \| (\w+) \| ([\d,]+) \|$`).FindAllStringSubmatch(table, -1)
	if len(rows) < 4 {
		t.Fatalf("%d rows", len(rows))
	}
	number := func(text string) int {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for _, row := range rows {
		pages, nodes, limit, files := number(row[1]), number(row[2]), number(row[3]), number(row[5])
		left := max(nodes-1, 1) // after the loss of one
		if left*limit < pages {
			t.Errorf("%s: %d nodes of %d pages hold fewer", row[0], left, limit)
		}
		if err := fits(limit, bytesOf(t, row[4])); err != nil {
			t.Errorf("%s: %v", row[0], err)
		}
		if files != 2*limit+1_000 { // as the program checks; see the section about limits
			t.Errorf("%s: %d files", row[0], files)
		}
	}
	deployment := manifests(t)["Deployment/pagemcpd"].Spec.Template.Spec.Containers[0]
	index := slices.IndexFunc(deployment.Env, func(one struct{ Name, Value string }) bool { return one.Name == "GOMEMLIMIT" })
	kubernetes := parsed(t, manifests(t)["ConfigMap/pagemcpd"].Data["pagemcp.yaml"]).WithDefaults()
	if err := fits(kubernetes.Limits.Pages, bytesOf(t, deployment.Env[index].Value)); err != nil {
		t.Errorf("k8s: %v", err)
	}
	composed := parsed(t, readGuide(t, deploy+"/compose/pagemcp.yaml")).WithDefaults()
	memory := regexp.MustCompile(`GOMEMLIMIT: (\w+)`).FindStringSubmatch(readGuide(t, deploy+"/compose.yaml"))[1]
	if err := fits(composed.Limits.Pages, bytesOf(t, memory)); err != nil {
		t.Errorf("compose: %v", err)
	}
}

// Limits of tenants need a claim: each deployment has it or says how to set it.
func TestDeploymentsNameTheTenantClaim(t *testing.T) {
	if !strings.Contains(readGuide(t, guide), "Those of tenants apply only if `assistants.tenantClaim` is set") {
		t.Error("the guide does not say when tenants are limited")
	}
	for _, name := range []string{"k8s/configmap.yaml", "compose/pagemcp.yaml"} {
		text := readGuide(t, filepath.Join(deploy, name))
		line := regexp.MustCompile(`(?m)^\s*# (tenantClaim: (\w+)) #`).FindStringSubmatch(text)
		if line == nil {
			t.Errorf("%s does not mention tenantClaim", name)
			continue
		}
		if !regexp.MustCompile(`(?m)^\s*limits: \{ pages: `).MatchString(text) {
			t.Errorf("%s has no limits.pages", name)
		}
		if c := parsed(t, "assistants: { "+line[1]+" }"); c.Assistants.TenantClaim != line[2] {
			t.Errorf("%s: %+v", name, c.Assistants)
		}
	}
}

// The realm has the scopes that the gateway asks for and the audience that it accepts.
func TestKeycloakRealmAgreesWithTheGuide(t *testing.T) {
	var realm struct {
		Realm        string
		ClientScopes []struct {
			Name            string
			Attributes      map[string]string
			ProtocolMappers []struct {
				ProtocolMapper string
				Config         map[string]string
			}
		}
		DefaultDefaultClientScopes, DefaultOptionalClientScopes []string
	}
	if err := json.Unmarshal([]byte(readGuide(t, deploy+"/issuers/keycloak-realm.json")), &realm, json.MatchCaseInsensitiveNames(true)); err != nil {
		t.Fatal(err)
	}
	mappers := map[string]map[string]string{}
	known := map[string]bool{}
	for _, scope := range realm.ClientScopes {
		known[scope.Name] = true
		for _, mapper := range scope.ProtocolMappers {
			if slices.Contains(realm.DefaultDefaultClientScopes, scope.Name) {
				mappers[mapper.ProtocolMapper] = mapper.Config
			}
		}
	}
	c := config.Config{PublicURL: "https://mcp.app.example"}.WithDefaults()
	if audience := mappers["oidc-audience-mapper"]; audience["access.token.claim"] != "true" || !slices.Equal(c.Assistants.Audience, []string{audience["included.custom.audience"]}) {
		t.Errorf("the audience is %q, and the gateway accepts %q", audience, c.Assistants.Audience)
	}
	if mappers["oidc-sub-mapper"]["access.token.claim"] != "true" {
		t.Error("access tokens have no sub")
	}
	for _, scope := range c.Assistants.ChallengeScopes {
		if !known[scope] || !slices.Contains(realm.DefaultOptionalClientScopes, scope) {
			t.Errorf("clients cannot ask for %s", scope)
		}
	}
	if len(c.Assistants.ChallengeScopes) != 3 {
		t.Errorf("%q", c.Assistants.ChallengeScopes)
	}
	if !strings.Contains(readGuide(t, guide), "/realms/"+realm.Realm+"\n  acceptTypJWT: true") {
		t.Errorf("the guide configures another realm than %s", realm.Realm)
	}
}

// The script makes the certificates for nats.conf and the nodes, and does not replace existing ones. It needs a Unix shell.
func TestCertificatesOfNATSServe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("certificates.sh is for Unix")
	}
	if _, err := exec.LookPath("openssl"); err != nil {
		t.Fatalf("%v: install openssl", err)
	}
	dir := t.TempDir()
	for range 2 {
		if out, err := exec.Command("sh", deploy+"/certificates.sh", dir, "nats1", "nats2").CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	load := func(name string) tls.Certificate {
		pair, err := tls.LoadX509KeyPair(filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key"))
		if err != nil {
			t.Fatal(err)
		}
		return pair
	}
	authority, err := os.ReadFile(filepath.Join(dir, "ca.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	shake := func(client, name string) (subject string, err error) {
		near, far := net.Pipe()
		server := tls.Server(far, &tls.Config{Certificates: []tls.Certificate{load("server")}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: roots})
		ended := make(chan error, 1)
		go func() {
			ended <- server.HandshakeContext(t.Context())
			far.Close()
		}()
		dialled := tls.Client(near, &tls.Config{Certificates: []tls.Certificate{load(client)}, RootCAs: roots, ServerName: name})
		err = dialled.HandshakeContext(t.Context())
		near.Close()
		if failed := <-ended; err == nil && failed != nil {
			return "", failed
		}
		if err != nil {
			return "", err
		}
		return server.ConnectionState().PeerCertificates[0].Subject.String(), nil
	}
	subject, err := shake("pagemcpd", "nats2")
	if err != nil || !strings.Contains(readGuide(t, deploy+"/nats.conf"), `user: "`+subject+`"`) {
		t.Errorf("a node is %q, which is no user of nats.conf: %v", subject, err)
	}
	if _, err := shake("server", "nats1"); err != nil { // a route
		t.Error(err)
	}
	if _, err := shake("pagemcpd", "nats3"); err == nil {
		t.Error("a server without a name of its own is accepted")
	}
}
