package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
)

func extensionCommand(std streams) *cobra.Command {
	browser := "chromium"
	c := &cobra.Command{
		Use:     "extension DIR",
		Short:   "Write the unpacked browser extension into a new directory",
		Example: "  pagemcp extension ~/pagemcp-extension\n  pagemcp extension --browser firefox ~/pagemcp-extension",
		Args: func(c *cobra.Command, args []string) error {
			if len(args) != 1 {
				return mistake{fmt.Errorf("extension needs one directory; see %s --help", c.CommandPath())}
			}
			if howToLoad(browser) == "" {
				return mistake{fmt.Errorf("--browser %s: want chromium or firefox", browser)}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return writeExtension(args[0], browser, std) },
	}
	c.Flags().StringVar(&browser, "browser", browser, "`name` of the browser that it is for: chromium or firefox")
	c.RegisterFlagCompletionFunc("browser", cobra.FixedCompletions([]string{"chromium", "firefox"}, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// howToLoad says how a browser loads the extension from a directory; "": another browser.
func howToLoad(browser string) string {
	switch browser {
	case "chromium":
		return "In Chrome: open chrome://extensions, turn on developer mode, and load this directory as an unpacked extension."
	case "firefox":
		return "In Firefox: open about:debugging#/runtime/this-firefox, choose Load Temporary Add-on, and select manifest.json in this directory. Firefox removes the extension when it exits."
	}
	return ""
}

// writeExtension writes the extension for a browser to dir, which must not exist, be empty,
// or contain an earlier version, whose files are replaced.
func writeExtension(dir, browser string, std streams) error {
	source, err := findWebFiles()
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); len(entries) > 0 && err != nil {
		return mistake{fmt.Errorf("%s has other files: name a new directory", dir)}
	}
	files, err := source.extension(browser)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, files[name], 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(std.out, "The extension is in %s. %s\n", dir, howToLoad(browser))
	return err
}

func licensesCommand(std streams) *cobra.Command {
	return &cobra.Command{
		Use:   "licenses",
		Short: "Print the licences of what the program contains",
		RunE: func(*cobra.Command, []string) error {
			source, err := findWebFiles()
			if err != nil {
				return err
			}
			text, err := source.notices()
			if err != nil {
				return err
			}
			_, err = std.out.Write(text)
			return err
		},
	}
}
