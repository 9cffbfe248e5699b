package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// parseConfig reads YAML into a Config. Unknown keys, keys that are there twice, aliases
// and values of a wrong type are problems. lines are the lines of all keys. Nothing of a
// value is in a problem: it may be a secret in a wrong place.
func parseConfig(text []byte) (config Config, lines map[string]int, problems []*Error) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	err := d.Decode(&document)
	if errors.Is(err, io.EOF) { // empty
		return Config{}, nil, nil
	}
	if err == nil {
		if err = d.Decode(&second); err == nil {
			return Config{}, nil, []*Error{{Line: second.Line, Text: "the file has several documents; remove the line ---"}}
		}
	}
	if !errors.Is(err, io.EOF) {
		return Config{}, nil, []*Error{syntaxError(err)}
	}
	p := configParser{lines: map[string]int{}}
	p.value(&document, reflect.ValueOf(&config).Elem(), "")
	return config, p.lines, p.problems
}

func syntaxError(err error) *Error {
	problem := &Error{Text: "the file is not valid YAML"}
	if load := (*yaml.LoadError)(nil); errors.As(err, &load) {
		problem.Line = load.Mark.Line
		if !strings.Contains(load.Message, "anchor") && !strings.Contains(load.Message, "tag") { // these quote the file
			problem.Text += ": " + load.Message
		}
	}
	return problem
}

// A configParser fills a Config by its yaml tags. The decoder of package yaml with KnownFields
// is not used for that: its errors quote values, name a key without those around it, and stop
// at a key that is there twice; and 0 would be the same as an absent number.
type configParser struct {
	lines    map[string]int
	problems []*Error
}

func (p *configParser) refuse(node *yaml.Node, key, format string, args ...any) {
	p.problems = append(p.problems, &Error{Line: node.Line, Key: key, Text: fmt.Sprintf(format, args...)})
}

// value sets target to node. An empty value, as in `cluster:`, leaves it as it is.
func (p *configParser) value(node *yaml.Node, target reflect.Value, key string) {
	if node.Kind == yaml.DocumentNode && len(node.Content) == 1 {
		node = node.Content[0]
	}
	if node.Kind == yaml.AliasNode {
		p.refuse(node, key, "aliases are not supported; repeat the value")
		return
	}
	if node.Kind == yaml.ScalarNode && node.ShortTag() == "!!null" {
		return
	}
	switch target.Kind() {
	case reflect.Pointer:
		target.Set(reflect.New(target.Type().Elem()))
		p.value(node, target.Elem(), key)
	case reflect.Struct:
		p.mapping(node, key, fieldsOf(target))
	case reflect.Map:
		p.texts(node, target, key)
	case reflect.Slice:
		p.list(node, target, key)
	default:
		p.scalar(node, target, key)
	}
}

// fieldsOf returns the fields of a struct by their keys.
func fieldsOf(target reflect.Value) map[string]reflect.Value {
	fields := map[string]reflect.Value{}
	for i := range target.NumField() {
		fields[target.Type().Field(i).Tag.Get("yaml")] = target.Field(i)
	}
	return fields
}

func (p *configParser) mapping(node *yaml.Node, path string, fields map[string]reflect.Value) {
	p.pairs(node, path, func(name, value *yaml.Node, key string) {
		field, known := fields[name.Value]
		switch {
		case known:
			p.value(value, field, key)
		case nearest(name.Value, fields) != "":
			meant := nearest(name.Value, fields)
			p.refuse(name, key, "there is no such key; did you mean `%s`?", meant)
			p.problems[len(p.problems)-1].meant = strings.TrimPrefix(path+"."+meant, ".")
		default:
			p.refuse(name, key, "there is no such key; remove it")
		}
	})
}

func (p *configParser) texts(node *yaml.Node, target reflect.Value, path string) {
	target.Set(reflect.MakeMap(target.Type()))
	p.pairs(node, path, func(name, value *yaml.Node, key string) {
		text := reflect.New(target.Type().Elem()).Elem()
		p.value(value, text, key)
		target.SetMapIndex(reflect.ValueOf(name.Value), text)
	})
}

// pairs calls do for each key of a mapping.
func (p *configParser) pairs(node *yaml.Node, path string, do func(name, value *yaml.Node, key string)) {
	if node.Kind != yaml.MappingNode {
		p.refuse(node, path, "want keys and values, `key: value`")
		return
	}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], node.Content[i+1]
		if name.Kind != yaml.ScalarNode {
			p.refuse(name, path, "a key must be text")
			continue
		}
		key := strings.TrimPrefix(path+"."+printable(name.Value), ".")
		if first, twice := p.lines[key]; twice {
			p.refuse(name, key, "the key is in line %d already; remove one of them", first)
			continue
		}
		p.lines[key] = name.Line
		do(name, value, key)
	}
}

// printable returns a key as it is shown in an error.
func printable(key string) string {
	const most = 64 // bytes
	if len(key) > most {
		key = key[:most] + "…"
	}
	if quoted := strconv.QuoteToASCII(key); quoted[1:len(quoted)-1] != key {
		return quoted
	}
	return key
}

func (p *configParser) list(node *yaml.Node, target reflect.Value, key string) {
	if node.Kind != yaml.SequenceNode {
		p.refuse(node, key, "want a list, [a, b]")
		return
	}
	target.Set(reflect.MakeSlice(target.Type(), len(node.Content), len(node.Content)))
	for i, item := range node.Content {
		p.value(item, target.Index(i), key)
	}
}

func (p *configParser) scalar(node *yaml.Node, target reflect.Value, key string) {
	if node.Kind != yaml.ScalarNode {
		p.refuse(node, key, "want one value")
		return
	}
	switch target.Kind() {
	case reflect.String:
		if node.ShortTag() != "!!str" {
			p.refuse(node, key, "want text; put it in quotation marks")
			return
		}
		target.SetString(node.Value)
	case reflect.Bool:
		if node.Value != "true" && node.Value != "false" {
			p.refuse(node, key, "want true or false")
			return
		}
		target.SetBool(node.Value == "true")
	case reflect.Int:
		number, err := strconv.Atoi(strings.ReplaceAll(node.Value, "_", ""))
		if err != nil || node.ShortTag() != "!!int" {
			p.refuse(node, key, "want a whole number")
			return
		}
		if number == 0 { // in a Config it means the default
			p.refuse(node, key, "0 is out of range; want 1 to %d, or leave it out for %d", maxLimit, defaultLimit(key))
			return
		}
		target.SetInt(int64(number))
	default:
		panic("a field of this kind cannot be read: " + key)
	}
}
