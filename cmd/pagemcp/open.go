package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// openBrowser opens a URL in the default browser, and does not wait for it.
//
// The URL contains a secret, and other users may see the arguments of processes. On Linux
// the gateway rejects other users by the owner of their connection. On macOS the browser
// gets a file that redirects to the URL instead, which other users cannot read.
func openBrowser(ctx context.Context, url string) error {
	program, args, err := browserCommand(runtime.GOOS, url, writeRedirect)
	if err != nil {
		return err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), program, args...)
	if err := command.Start(); err != nil {
		return fmt.Errorf("open the browser: %w; open the link above yourself", err)
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
