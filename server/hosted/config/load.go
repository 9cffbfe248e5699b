package config

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pagemcp/pagemcp/server/internal/keys"
	"github.com/pagemcp/pagemcp/server/internal/limits"
	"go.yaml.in/yaml/v4"
)

const maxConfigFile = 1 << 20 // bytes

// An Error is one reason why a gateway refuses to start. Its text contains no secrets.
type Error struct {
	File string // "" for a Config that was not read from a file
	Line int    // of a mistake in YAML; 0: Key says where
	Key  string // with those around it: pages.tokens.issuer; "" if it is about the file
	Text string // what is wrong, and what to do
}

// Error returns `file:line: key: text`.
func (e *Error) Error() string {
	text := e.Text
	if e.Key != "" {
		text = e.Key + ": " + text
	}
	switch {
	case e.Line > 0:
		return fmt.Sprintf("%s:%d: %s", e.File, e.Line, text)
	case e.File != "":
		return e.File + ": " + text
	}
	return text
}

// A Loaded is a configuration with the contents of its files, all read at one time. It does
// not change.
type Loaded struct {
	Config      Config
	Certificate *tls.Certificate // nil without TLS
	Peer        *PeerTLS         // nil without a cluster, or TLS between its nodes
	Keys        keys.Ring
	Limits      limits.Limits
	PageOrigins OriginList
	Sampling    OriginList // origins of pages that may use the model of an assistant
	Proxies     []netip.Prefix

	// JWK Sets that are files; nil if the keys are fetched from the issuer.
	AssistantKeys, PageKeys []byte

	digests map[string]fileDigest // of all files, by name
}

// A PeerTLS is how a node and the others know each other.
type PeerTLS struct {
	Certificate *tls.Certificate
	Authorities *x509.CertPool
}

// LoadFile reads a configuration file, and the files that it names. The error joins a *Error
// for each reason not to start (see errors.Join), or is that of reading the file.
func LoadFile(name string) (*Loaded, error) {
	first := digestOf(name) // before it is read: a change meanwhile is seen as one
	config, err := read(name)
	if err != nil {
		return nil, inFile(err, name)
	}
	l, err := Load(config)
	if err != nil {
		return nil, inFile(err, name)
	}
	l.digests[name] = first
	return l, nil
}

// inFile names the file of each problem of an error.
func inFile(err error, name string) error {
	if all, isJoined := err.(interface{ Unwrap() []error }); isJoined {
		for _, one := range all.Unwrap() {
			if problem := (*Error)(nil); errors.As(one, &problem) {
				problem.File = name
			}
		}
	}
	return err
}

// read reads a configuration file. Names of files in the result are absolute.
func read(name string) (config Config, err error) {
	file, err := os.Open(name)
	if err != nil {
		return Config{}, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxConfigFile+1))
	if err != nil {
		return Config{}, err
	}
	if len(text) > maxConfigFile {
		return Config{}, errors.Join(&Error{Text: fmt.Sprintf("the file is longer than %d KiB", maxConfigFile>>10)})
	}
	absolute, err := filepath.Abs(name)
	if err != nil {
		return Config{}, err
	}
	if config, err = parse(text); err != nil {
		return Config{}, err
	}
	config.resolve(filepath.Dir(absolute))
	return config, nil
}

// parse reads YAML. Unknown keys, keys that are there twice and values of a wrong type are
// errors. Nothing of a value is in an error: it may be a secret in a wrong place.
func parse(text []byte) (config Config, err error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	d.KnownFields(true)
	if err = d.Decode(&config); errors.Is(err, io.EOF) { // empty
		return Config{}, nil
	}
	if err == nil {
		if err = d.Decode(new(yaml.Node)); errors.Is(err, io.EOF) {
			return config, nil
		}
		return Config{}, errors.Join(&Error{Text: "the file has several documents; remove the line ---"})
	}
	var problems []error
	if all := (*yaml.LoadErrors)(nil); errors.As(err, &all) {
		for _, one := range all.Errors {
			problems = append(problems, yamlError(one))
		}
	} else if one := (*yaml.LoadError)(nil); errors.As(err, &one) {
		problems = append(problems, yamlError(one))
	} else {
		problems = append(problems, &Error{Text: "the file is not valid YAML"})
	}
	return Config{}, errors.Join(problems...)
}

var (
	unknownKey = regexp.MustCompile(`(?s)^field (.{1,64}).* not found in type`)
	wrongType  = regexp.MustCompile(`^cannot construct !!(?s:.*) into (\S+)$`)
	keyTwice   = regexp.MustCompile(`(?s)^mapping key .* already defined at line (\d+)$`)
)

// kinds say what a value should be, by the type of Go.
var kinds = map[string]string{"string": "text", "int": "a whole number", "bool": "true or false", "[]string": "a list, [a, b]"}

// yamlError returns a mistake without the values that its message quotes.
func yamlError(err *yaml.LoadError) *Error {
	text := "the file is not valid YAML"
	if found := unknownKey.FindStringSubmatch(err.Message); found != nil {
		text = fmt.Sprintf("there is no key %q here; remove it, or correct its name", found[1])
	} else if found := wrongType.FindStringSubmatch(err.Message); found != nil {
		kind, known := kinds[found[1]]
		if !known {
			kind = "keys and values, `key: value`"
		}
		text = "want " + kind
	} else if found := keyTwice.FindStringSubmatch(err.Message); found != nil {
		text = "the key is in line " + found[1] + " already; remove one of them"
	}
	return &Error{Line: err.Mark.Line, Text: text}
}

// resolve makes names of files relative to dir. What is a secret, and no name, stays as it
// is, so that Load recognizes it.
func (c *Config) resolve(dir string) {
	for _, file := range c.Files() {
		if *file.Name == "" || filepath.IsAbs(*file.Name) {
			continue
		}
		if joined := filepath.Join(dir, *file.Name); !isSecret(*file.Name) || exists(joined) {
			*file.Name = joined
		}
	}
}

// isSecret reports whether text is the content of a file in place of its name: a key of
// 32 bytes, PEM, or several lines.
func isSecret(text string) bool {
	if strings.Contains(text, "\n") || strings.Contains(text, "-----") {
		return true
	}
	_, err := keys.Parse([]byte(strings.NewReplacer("+", "-", "/", "_").Replace(text)))
	return err == nil
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// A fileDigest is the SHA-256 of a file, or of the error of reading it. Contents are
// compared rather than times: Kubernetes replaces the target of a symbolic link, and
// programs that renew certificates may keep the time.
type fileDigest [sha256.Size]byte

// digestOf reads at most 1 MiB, as the readers of all files do.
func digestOf(name string) fileDigest {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", name) // opening a named pipe could block
	}
	hash := sha256.New()
	if err == nil {
		err = copyFile(hash, name)
	}
	if err != nil {
		fmt.Fprint(hash, err)
	}
	return fileDigest(hash.Sum(nil))
}

func copyFile(w io.Writer, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = io.Copy(w, io.LimitReader(file, maxConfigFile))
	return err
}

// HasChanged reports whether a file has other contents than those that were loaded.
func (l *Loaded) HasChanged() bool {
	for name, digest := range l.digests {
		if digestOf(name) != digest {
			return true
		}
	}
	return false
}
