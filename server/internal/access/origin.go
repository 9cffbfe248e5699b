package access

import (
	"fmt"
	"net/url"
	"strings"
)

// CheckOrigin returns an error unless origin is spelled as browsers send it: scheme,
// host, and the port if it is not the default of the scheme; or it is the origin of one
// browser extension. Wildcards and `null` are rejected.
func CheckOrigin(origin string) error {
	if ok, expected := isExtension(origin); ok {
		return nil
	} else if expected != "" {
		return fmt.Errorf("origin %q: want %s", origin, expected)
	}
	u, err := url.Parse(origin)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return fmt.Errorf("origin %q: want scheme, host and port, like https://app.example or http://localhost:5173", origin)
	}
	host := strings.ToLower(u.Hostname())
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	want := u.Scheme + "://" + host
	if port := u.Port(); port != "" && port != map[string]string{"http": "80", "https": "443"}[u.Scheme] {
		want += ":" + port
	}
	if strings.ContainsAny(host, "*%") || strings.HasSuffix(host, ".") {
		return fmt.Errorf("origin %q: name one exact host, there are no patterns", origin)
	}
	if origin != want {
		return fmt.Errorf("origin %q: browsers send it as %q", origin, want)
	}
	return nil
}

// isLoopback reports whether origin is a web origin of this machine, on any port.
func isLoopback(origin string) bool {
	u, err := url.Parse(origin)
	if err != nil || CheckOrigin(origin) != nil || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	host := u.Hostname()
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}

// isExtension reports whether origin is that of an extension of Chromium, whose id is 32
// letters from a to p, or of Firefox, which gives each installation a UUID. If only the
// scheme matches, expected describes the valid form.
func isExtension(origin string) (ok bool, expected string) {
	if id, chromium := strings.CutPrefix(origin, "chrome-extension://"); chromium {
		outside := func(c rune) bool { return c < 'a' || c > 'p' }
		return len(id) == 32 && !strings.ContainsFunc(id, outside),
			"chrome-extension:// and the 32 letters of the extension's id, from a to p"
	}
	id, firefox := strings.CutPrefix(origin, "moz-extension://")
	if !firefox {
		return false, ""
	}
	ok = len(id) == 36
	for i := 0; ok && i < len(id); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			ok = id[i] == '-'
		} else {
			ok = strings.IndexByte("0123456789abcdef", id[i]) >= 0
		}
	}
	return ok, "moz-extension:// and the UUID of the installed extension, in lower case"
}
