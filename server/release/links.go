package release

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"regexp"
	"strings"
)

// An InstallLink is a link in README.md that adds the server to a client: its page opens the
// client with a name and the JSON object of the client's configuration file.
type InstallLink struct {
	Client string // ID of clientconfig
	Name   string
	Config string // JSON

	page   string // URL without the query
	base64 bool   // the form of Config in the query
}

// linkPages are the pages of such links, which redirect to a URL scheme of the client:
// pages of repositories cannot link to other schemes. Formats of 2026-11-22:
// https://code.visualstudio.com/api/extension-guides/ai/mcp,
// https://cursor.com/docs/context/mcp/install-links, https://lmstudio.ai/docs/app/mcp/deeplink
var linkPages = [...]InstallLink{
	{Client: "vscode", page: "https://vscode.dev/redirect/mcp/install"},
	{Client: "cursor", page: "https://cursor.com/install-mcp", base64: true},
	{Client: "lmstudio", page: "https://lmstudio.ai/install-mcp", base64: true},
}

// linkPattern matches a link with a query, as Markdown has it.
func (l InstallLink) linkPattern() *regexp.Regexp {
	return regexp.MustCompile(regexp.QuoteMeta(l.page) + `\?[^)\s"]+`)
}

// ReadInstallLinks returns the links in a text.
func ReadInstallLinks(text string) ([]InstallLink, error) {
	var all []InstallLink
	for _, page := range linkPages {
		for _, found := range page.linkPattern().FindAllString(text, -1) {
			link, err := page.decode(found)
			if err != nil {
				return nil, err
			}
			all = append(all, link)
		}
	}
	return all, nil
}

func (l InstallLink) decode(link string) (InstallLink, error) {
	parsed, err := url.Parse(link)
	if err != nil {
		return l, fmt.Errorf("read an install link: %w", err)
	}
	query := parsed.Query()
	l.Name, l.Config = query.Get("name"), query.Get("config")
	if l.base64 {
		text, err := base64.StdEncoding.DecodeString(l.Config)
		if err != nil {
			return l, fmt.Errorf("read the install link of %s: %w", l.Client, err)
		}
		l.Config = string(text)
	}
	return l, nil
}

// String returns the link.
func (l InstallLink) String() string {
	config := l.Config
	if l.base64 {
		config = base64.StdEncoding.EncodeToString([]byte(config))
	}
	return l.page + "?name=" + url.QueryEscape(l.Name) + "&config=" + strings.ReplaceAll(url.QueryEscape(config), "+", "%20")
}

// packageVersion matches the npm package with its version, as npx takes it.
func packageVersion() *regexp.Regexp { return regexp.MustCompile(`"pagemcp@([^"]*)"`) }

// version returns the version of the package that the client would start, or "".
func (l InstallLink) version() string {
	if found := packageVersion().FindStringSubmatch(l.Config); found != nil {
		return found[1]
	}
	return ""
}

// relink returns text with links to version.
func relink(text, version string) (string, error) {
	var failed error
	for _, page := range linkPages {
		text = page.linkPattern().ReplaceAllStringFunc(text, func(found string) string {
			link, err := page.decode(found)
			if err != nil {
				failed = err
				return found
			}
			link.Config = packageVersion().ReplaceAllString(link.Config, `"pagemcp@`+version+`"`)
			return link.String()
		})
	}
	return text, failed
}
