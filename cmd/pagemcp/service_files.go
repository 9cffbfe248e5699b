package main

import (
	"bytes"
	"encoding/xml"
	"strings"
)

// systemdUnit returns a unit file for a user's systemd. The service is restarted whenever it
// fails, however often; it may write below the home directory, where its state is, and gains no
// privileges. See systemd.service(5) and systemd.exec(5).
func systemdUnit(program string, args []string) string {
	words := []string{systemdQuote(program)}
	for _, arg := range args {
		words = append(words, systemdQuote(arg))
	}
	return `[Unit]
Description=PageMCP gateway between web pages and AI assistants
Documentation=https://github.com/pagemcp/pagemcp#readme
StartLimitIntervalSec=0

[Service]
ExecStart=` + strings.Join(words, " ") + `
Restart=on-failure
RestartSec=1
NoNewPrivileges=yes
LockPersonality=yes
RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
UMask=0077

[Install]
WantedBy=default.target
`
}

// systemdQuote quotes a word of ExecStart: specifiers and variables are not expanded. See
// systemd.syntax(7).
func systemdQuote(word string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(word) + `"`
}

// launchdLabel names the agent.
const launchdLabel = "io.github.pagemcp.pagemcp"

// launchdAgent returns a property list for launchd. See launchd.plist(5).
func launchdAgent(program string, args []string, log string) string {
	var list strings.Builder
	for _, word := range append([]string{program}, args...) {
		list.WriteString("\t\t<string>" + xmlText(word) + "</string>\n")
	}
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + launchdLabel + `</string>
	<key>ProgramArguments</key>
	<array>
` + list.String() + `	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>Umask</key>
	<integer>63</integer>
	<key>StandardErrorPath</key>
	<string>` + xmlText(log) + `</string>
</dict>
</plist>
`
}

func xmlText(text string) string {
	var escaped bytes.Buffer
	xml.EscapeText(&escaped, []byte(text)) // a bytes.Buffer does not fail
	return escaped.String()
}
