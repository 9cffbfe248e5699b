package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func openCommand(std streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "open [PAGE]",
		GroupID: groupControl,
		Short:   "Open a page of the running gateway with a fresh link: the start page, playground, docs, or a demo by its name",
		Long: `Open a page of ` + "`pagemcp dev`" + ` or ` + "`pagemcp serve --dir`" + `, which runs already, in the default browser. The link is
printed as well; it is good once, for two minutes. Without PAGE it is that of the start page, or of your app; "demo" is the
start page, too, which lists the demos.`,
		Example: "  pagemcp open\n  pagemcp open playground\n  pagemcp open notes",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) > 1 {
				return mistake{fmt.Errorf("open takes one page, not %q; see %s --help", args[1], c.CommandPath())}
			}
			return nil
		},
	}
	state := stateFlag(c)
	printOnly := c.Flags().Bool("print", false, "print the link, and open nothing")
	c.RunE = func(c *cobra.Command, args []string) error {
		return openPage(c.Context(), *state, strings.Join(args, ""), *printOnly, std)
	}
	return c
}

// openPage opens a page of the web server beside the running gateway; name "": its start page.
func openPage(ctx context.Context, state, name string, printOnly bool, std streams) error {
	gateway, err := connectGateway(ctx, state)
	if err != nil {
		return err
	}
	invitation, err := gateway.Open(ctx)
	if err != nil {
		return err
	}
	path, err := pathOf(ctx, invitation.Origin+"/", name)
	if err != nil {
		return err
	}
	url := invitation.Origin + "/" + path + invitation.Fragment
	if _, err := fmt.Fprintln(std.out, url); err != nil || printOnly {
		return err
	}
	return openBrowser(ctx, url)
}

// pathOf returns the path of a page of a web server by its name.
func pathOf(ctx context.Context, server, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var config struct {
		Demos []string `json:"demos"`
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, server+"pagemcp/config.json", nil)
	if err != nil {
		return "", err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", fmt.Errorf("ask the web server for its pages: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&config) != nil {
		return "", mistake{fmt.Errorf("%s has your app alone: use pagemcp open without %q", server, name)}
	}
	switch {
	case name == "demo": // the start page lists them
		return "", nil
	case name == "playground" || name == "docs":
		return name + "/", nil
	case slices.Contains(config.Demos, name):
		return "demo/" + name + "/", nil
	}
	return "", mistake{fmt.Errorf("there is no page %q: use playground, docs, or a demo: %s", name, strings.Join(config.Demos, ", "))}
}

// openBrowser is startBrowser for a URL that was printed before.
func openBrowser(ctx context.Context, url string) error {
	if err := startBrowser(ctx, url); err != nil {
		return fmt.Errorf("open the browser: %w; open the link above yourself", err)
	}
	return nil
}

// startBrowser opens a URL in the default browser, and does not wait for it.
//
// The URL contains a secret, and other users may see the arguments of processes. On Linux
// the gateway rejects other users by the owner of their connection. On macOS the browser
// gets a file that redirects to the URL instead, which other users cannot read.
func startBrowser(ctx context.Context, url string) error {
	program, args, err := browserCommand(runtime.GOOS, url, writeRedirect)
	if err != nil {
		return err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	if err := command.Start(); err != nil {
		return err
	}
	go command.Wait() // ends with the program, or with this process
	return nil
}

// browserCommand returns the command that opens url on a system.
func browserCommand(system, url string, redirect func(url string) (file string, err error)) (program string, args []string, err error) {
	switch system {
	case "windows":
		return "rundll32", []string{"url.dll,FileProtocolHandler", url}, nil
	case "darwin":
		file, err := redirect(url)
		return "open", []string{file}, err
	default:
		return "xdg-open", []string{url}, nil
	}
}

// writeRedirect writes a page that leads to url, for this user only. The secret in the URL
// expires after two minutes, so the file may stay.
func writeRedirect(url string) (string, error) {
	file, err := os.CreateTemp("", "pagemcp-*.html") // 0600
	if err != nil {
		return "", fmt.Errorf("write a file for the browser: %w", err)
	}
	defer file.Close()
	_, err = fmt.Fprintf(file, "<!doctype html><meta charset=utf-8><title>PageMCP</title><meta name=referrer content=no-referrer><script>location.replace(%q)</script>\n", url)
	return file.Name(), err
}
