package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"
)

// configFile is the file in the state directory that has settings for dev, serve and stdio, by the names of their
// flags, so that a service needs no flags. The command line comes first.
const configFile = "pagemcp.toml"

// readConfig sets those of flags that the command line has not set. The error names the file, and the key or the line.
func readConfig(state string, flags *pflag.FlagSet) error {
	file := filepath.Join(state, configFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	values := map[string]any{}
	if err := toml.Unmarshal(text, &values); err != nil {
		if wrong := (toml.ParseError{}); errors.As(err, &wrong) {
			return fmt.Errorf("%s:%d: %s", file, wrong.Position.Line, wrong.Message)
		}
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		if err := setFromFile(state, flags, key, values[key]); err != nil {
			return fmt.Errorf("%s: %s: %w", file, key, err)
		}
	}
	return nil
}

func setFromFile(state string, flags *pflag.FlagSet, key string, value any) error {
	known := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(settings).register(known)
	flag := flags.Lookup(key)
	if known.Lookup(key) == nil || flag == nil || key == "state" {
		return errors.New("there is no such setting; keys are the names of flags of `pagemcp serve`, without --")
	}
	if flag.Changed {
		return nil
	}
	all, isList := value.([]any)
	if _, takesList := flag.Value.(*list); isList && !takesList {
		return errors.New("want one value, not a list")
	}
	if !isList {
		all = []any{value}
	}
	for _, one := range all {
		text := fmt.Sprint(one)
		if isFileFlag(key) && text != "" && !filepath.IsAbs(text) {
			text = filepath.Join(state, text)
		}
		if err := flag.Value.Set(text); err != nil {
			return err
		}
	}
	return nil
}

// isFileFlag reports whether the value of a flag is the name of a file.
func isFileFlag(name string) bool { return name == "token-file" || strings.HasPrefix(name, "tls-") }
