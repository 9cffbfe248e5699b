package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/pagemcp/pagemcp/server/hosted/config/configtest"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"go.yaml.in/yaml/v4"
)

// The annotated file is accepted, and has every setting with its default; settings that are off are comments.
func TestTheAnnotatedFileHasEverySetting(t *testing.T) {
	text, err := os.ReadFile("../../../cmd/pagemcpd/deploy/pagemcp.yaml")
	if err != nil {
		t.Fatal(err)
	}
	dir := configtest.Files(t)
	for _, name := range []string{"ca", "pagemcpd"} {
		for _, suffix := range []string{".crt", ".key"} {
			if err := os.Link(filepath.Join(dir, "tls"+suffix), filepath.Join(dir, name+suffix)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, refused := readText(t, dir, string(text)); refused != "" {
		t.Fatal(refused)
	}
	parsed, err := parse(text)
	if err != nil {
		t.Fatal(err)
	}
	required := Config{PublicURL: parsed.PublicURL, TLS: parsed.TLS, Keys: parsed.Keys, Limits: parsed.Limits, Cluster: parsed.Cluster, Pages: parsed.Pages}
	required.Assistants.Issuer = parsed.Assistants.Issuer
	if got := required.WithDefaults(); !reflect.DeepEqual(got, parsed) {
		t.Errorf("a value is not the default: %#v, want %#v", parsed, got)
	}
	defaults := limits.Hosted()
	for _, one := range defaults {
		if most := float64(parsed.Limits[one.Key]); one.Factor == 1 && most != one.Most {
			t.Errorf("limits.%s is %v, the default %v", one.Key, most, one.Most)
		}
	}

	var all map[string]any
	off := regexp.MustCompile(`(?m)^( *)#(\w+: )`)
	if err := yaml.Unmarshal(off.ReplaceAll(text, []byte("$1$2")), &all); err != nil {
		t.Fatal(err)
	}
	wantKeys(t, reflect.TypeFor[Config](), all, "")
	for _, key := range defaults.Keys() {
		if parsed.Limits[key] == 0 {
			t.Errorf("limits.%s is missing", key)
		}
	}
}

// wantKeys reports the fields of a struct that have no key in an object.
func wantKeys(t *testing.T, of reflect.Type, object map[string]any, path string) {
	t.Helper()
	for i := range of.NumField() {
		field := of.Field(i)
		key := field.Tag.Get("yaml")
		value, ok := object[key]
		if !ok {
			t.Errorf("%s is missing", path+key)
			continue
		}
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		if below, isObject := value.(map[string]any); isObject && inner.Kind() == reflect.Struct {
			wantKeys(t, inner, below, path+key+".")
		}
	}
}
