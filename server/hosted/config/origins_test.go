package config

import (
	"strings"
	"testing"
)

func TestOriginsOfPagesAreMatchedExactlyOrByOneLabel(t *testing.T) {
	var list OriginList
	for _, origin := range []string{"https://app.example", "https://*.app.example", "https://*.dev.example:8443", "http://localhost:5173"} {
		if err := list.add(origin); err != nil {
			t.Fatal(err)
		}
	}
	for _, origin := range []string{
		"https://app.example", "https://a.app.example", "https://acme-1.app.example", "https://xn--bcher-kva.app.example", "https://my_site.app.example",
		"https://1.app.example", "https://" + strings.Repeat("a", 63) + ".app.example", "https://a.dev.example:8443", "http://localhost:5173",
	} {
		if !list.Contains(origin) {
			t.Errorf("%q is refused", origin)
		}
	}
	for _, origin := range []string{
		"", "null", "*", "https://", "app.example", ".app.example", "a.app.example",
		"http://app.example", "http://a.app.example", "HTTPS://a.app.example", "https:a.app.example", "https:/a.app.example", "https:///a.app.example",
		"wss://a.app.example", "ahttps://a.app.example", " https://a.app.example", "https://a.app.example ", "https://a.app.example\n", "https://a.app.example\x00",
		"https://*.app.example", "https://.app.example", "https://a.b.app.example", "https://a..app.example", "https://a.app.example.",
		"https://evilapp.example", "https://a.evilapp.example", "https://a.app.example.evil.example", "https://app.example.evil.example", "https://a-app.example",
		"https://evil.example/a.app.example", "https://evil.example#a.app.example", "https://evil.example?a.app.example", "https://evil.example\\a.app.example",
		"https://evil.example/.app.example", "https://evil.example#.app.example", "https://evil.example?.app.example", "https://evil.example\\.app.example",
		"https://evil.example:443.app.example", "https://evil:1.app.example", "https://user@a.app.example", "https://user:secret@a.app.example", "https://a@b.app.example",
		"https://evil.example%2f.app.example", "https://a%00.app.example", "https://a%2e.app.example", "https://%61.app.example",
		"https://A.app.example", "https://a.APP.example", "https://b\u00fccher.app.example", "https://\uff41.app.example", "https://a\u3002app.example", "https://a\u200d.app.example",
		"https://[::1].app.example", "https://a b.app.example", "https://a,b.app.example", "https://a.app.example,https://evil.example", "https://evil.example https://a.app.example",
		"https://a.app.example:443", "https://a.app.example:8443", "https://app.example:8443", "https://app.example/", "https://a.app.example/",
		"https://a.dev.example", "https://a.dev.example:84430", "https://dev.example:8443", "https://a.dev.example:8443/",
		"http://localhost", "http://localhost:5174", "https://localhost:5173", "https://" + strings.Repeat("a", 64) + ".app.example",
	} {
		if list.Contains(origin) {
			t.Errorf("%q is accepted", origin)
		}
	}
}

func TestPatternsOfOriginsAreRefused(t *testing.T) {
	const form = "`*` stands for the leftmost label of an https host, as in https://*.app.example"
	const domain = "want a domain of two labels or more behind `*.`, as in https://*.app.example"
	for origin, want := range map[string]string{
		"*":                         form,
		"https://*":                 form,
		"http://*.app.example":      form,
		"*.app.example":             form,
		"HTTPS://*.app.example":     form,
		"https://a*.app.example":    form,
		"https://*a.app.example":    form,
		"https://a.*.example":       form,
		"https://*.*.example":       form,
		"https://app.example:*":     form,
		"https://*.app.example:*":   form,
		"https://*@app.example":     form,
		"https://**.app.example":    form,
		"https://*.com":             domain,
		"https://*.localhost":       domain,
		"https://*.0.0.1":           domain,
		"https://*..example":        domain,
		"https://*.a..example":      domain,
		"https://*.app.example/":    `behind ` + "`*.`" + `: origin "https://app.example/": browsers send it as "https://app.example"`,
		"https://*.App.example":     `behind ` + "`*.`" + `: origin "https://App.example": browsers send it as "https://app.example"`,
		"https://*.app.example:443": `behind ` + "`*.`" + `: origin "https://app.example:443": browsers send it as "https://app.example"`,
		"https://*.app.example.":    `behind ` + "`*.`" + `: origin "https://app.example.": name one exact host, there are no patterns`,
		"https://*.a@app.example":   `behind ` + "`*.`" + `: origin "https://a@app.example": browsers send it as "https://app.example"`,
	} {
		want = `origin "` + origin + `": ` + want
		if err := new(OriginList).add(origin); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := new(OriginList).add("https://app.example/path"); err == nil {
		t.Error("an exact origin is not checked")
	}
}

func FuzzPatternsAcceptOneLabelOnly(f *testing.F) {
	f.Add("https://*.app.example", "https://a.app.example")
	f.Add("https://*.a.b:1", "https://x.a.b:1")
	f.Fuzz(func(t *testing.T, pattern, origin string) {
		var list OriginList
		if list.add(pattern) != nil || !strings.Contains(pattern, "*") || !list.Contains(origin) {
			return
		}
		if strings.Count(origin, ".") != strings.Count(pattern, ".") || !strings.HasPrefix(origin, "https://") || !strings.HasSuffix(origin, pattern[len("https://*"):]) {
			t.Errorf("%q accepts %q", pattern, origin)
		}
	})
}
