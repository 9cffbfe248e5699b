package engine

import (
	"cmp"
	"errors"
	"strconv"

	"github.com/pagemcp/pagemcp/wasm/emit"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/plain"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// An Item is an entry of a list, such as a resource or a tool. It stays JSON
// from where it is registered, or comes from another engine, to where a client gets it: [Kind.Parse]
// checks and cleans it once, and appendItem gives it the prefix of a mount and the shape of a revision.
type Item struct {
	Key  string // its uri, uriTemplate or name
	JSON []byte // the whole entry, as the list of 2026-07-28 has it, with Key as its first member
}

// A Kind is one of the lists that a source has. Extensions have kinds of their own.
type Kind = *ListKind

// A ListKind is a row: all differences between the lists but those of [rules].
type ListKind struct {
	Method string // that lists it
	Member string // of its result: the list
	Key    string // the member of an entry by which that is called
	One    string // what messages call an entry

	// Raw entries keep their members as they are, since clients compare them with other data. Rewrite, of these,
	// returns the value of a member with the prefix of a mount. May be nil.
	Raw     bool
	Rewrite func(member string, value []byte, prefix string) []byte

	scheme string // what the policy gets before the name of an entry
	lists  lists  // whose changes are announced; none: those of resources
	rules  uint8  // its bit in rules
}

// The kinds that every engine has. Templates (RFC 6570) are of URIs that are not all listed.
var (
	Resources, Templates, Prompts, Tools = &resources, &templates, &prompts, &tools

	resources = ListKind{Method: MethodListResources, Member: "resources", Key: "uri", One: "resource", rules: ofResource}
	templates = ListKind{Method: MethodListTemplates, Member: "resourceTemplates", Key: "uriTemplate", One: "template", rules: ofTemplate}
	prompts   = ListKind{Method: MethodListPrompts, Member: "prompts", Key: "name", One: "prompt", scheme: "prompt:", lists: promptsList, rules: ofPrompt}
	tools     = ListKind{Method: MethodListTools, Member: "tools", Key: "name", One: "tool", scheme: "tool:", lists: toolsList, rules: ofTool}
)

// Changed returns the change that announces the list of a kind.
func (k *ListKind) Changed() Change {
	return Change{List: !k.hasNames(), Prompts: k.lists == promptsList, Tools: k.lists == toolsList}
}

// hasNames reports whether entries are called by names, and not by URIs.
func (k *ListKind) hasNames() bool { return k.Key == "name" }

// Describe returns a description whose members are texts: their names and values in turn. Empty ones
// are left out.
func Describe(members ...string) []byte {
	o := emit.JSON("{")
	for i := 0; i+1 < len(members); i += 2 {
		if members[i+1] != "" {
			o.Name(members[i])
			o.Quote(members[i+1])
		}
	}
	return append(o, '}')
}

// maxItemDepth is how deep an entry of a list may be nested: with what is around it, a message has at most [jsonrpc.MaxDepth].
const maxItemDepth = jsonrpc.MaxDepth - 8 // levels

// Sets of kinds, of rules.
const (
	ofResource = 1 << iota
	ofTemplate
	ofPrompt
	ofTool
	ofResources = ofResource | ofTemplate
	ofAny       = ofResources | ofPrompt | ofTool
)

// rules are what members of descriptions have to be. Members without a rule are kept while their texts
// are plain, but those of an app's own lists: a newer revision may have them.
var rules = [...]struct {
	member string
	kinds  uint8
	begins byte                    // the value; 0: with anything
	valid  func(value []byte) bool // nil: it always is
	rule   string                  // what an invalid value is refused with
}{
	{"title", ofAny, '"', nil, ""},
	{"description", ofAny, '"', nil, ""},
	{"mimeType", ofResources, '"', validMediaType, "mimeType " + schema.MediaTypeRule},
	{"size", ofResource, 0, validSize, "size must be a number of bytes"},
	{"annotations", ofResources, '{', schema.ValidAnnotations, schema.AnnotationsRule},
	{"annotations", ofTool, '{', nil, ""},
	{"icons", ofAny, '[', schema.ValidIcons, schema.IconsRule},
	{"arguments", ofPrompt, '[', validArguments, "arguments must be objects, each with a name of its own, of at most 128 characters and none that are hidden"},
	{"inputSchema", ofTool, '{', isOfObjects, `inputSchema must have "type": "object"`},
	{"outputSchema", ofTool, '{', nil, ""},
	{"_meta", ofAny, '{', nil, ""},
}

// Parse reads a description as the list of its kind has it. Names, titles and descriptions are cleaned
// and cut: see [plain.Text]. The error names the member that is missing or wrong; the key is there even so.
func (k *ListKind) Parse(object []byte) (Item, error) { return k.parse(object, false) }

// ParseOwn is Parse for an entry of a list that an app returns. An app may return its own records, so members of resources
// and templates that have no rule are dropped. JavaScript has taken out those of prompts and tools.
func (k *ListKind) ParseOwn(object []byte) (Item, error) { return k.parse(object, !k.hasNames()) }

func (k *ListKind) parse(object []byte, onlyKnown bool) (item Item, err error) {
	key, name, hasName, hasSchema := k.Key, "", k.hasNames() || k.Raw, k != Tools
	rest := append(make(emit.JSON, 0, len(object)+1), '{') // the members besides key and name
	s := jsonrpc.Scan(object)
	for err == nil && s.Next() {
		isText := true
		switch member := s.Name; {
		case string(member) == key:
			item.Key, isText = jsonrpc.Text(s.Value)
		case k.Raw:
			rest.Member(string(member), s.Value)
		case string(member) == "name":
			name, isText = jsonrpc.Text(s.Value)
			hasName = name != ""
			name = plain.Member("name", name)
		default:
			var clean []byte
			if clean, err = k.clean(member, s.Value, onlyKnown); clean != nil {
				rest.Member(string(member), clean)
			}
			hasSchema = hasSchema || string(member) == "inputSchema"
		}
		if !isText {
			err = schema.Wrong(string(s.Name), "must be a string")
		}
	}
	switch {
	case err != nil:
	case s.Err() != nil:
		err = errors.New(s.Err().Message) // not one for a client
	case jsonrpc.Deeper(object, maxItemDepth):
		err = errors.New("a description is nested deeper than " + strconv.Itoa(maxItemDepth) + " levels")
	case item.Key == "":
		err = schema.Wrong(key, "is missing")
	case !hasName:
		err = errors.New("name is missing")
	case !hasSchema:
		err = errors.New("inputSchema is missing")
	default:
		err = k.checkKey(item.Key)
	}
	if err != nil {
		return item, err
	}
	o := append(make(emit.JSON, 0, len(rest)+len(key)+len(item.Key)+len(name)+len(`{"":"","name":""`)), '{')
	o.Name(key)
	o.Quote(item.Key)
	if !k.hasNames() && !k.Raw {
		o.Name("name")
		o.Quote(cmp.Or(name, plain.Member("name", item.Key))) // of nothing but hidden characters: data must not make a list fail
	}
	if len(rest) > 1 {
		rest[0] = ','
		o.Raw(rest)
	}
	item.JSON = append(o, '}')
	return item, nil
}

// checkKey returns what is wrong with a key that is there.
func (k *ListKind) checkKey(key string) error {
	switch k {
	case Templates:
		if schema.SchemeLength(key) == 0 {
			return errors.New("uriTemplate must begin with a scheme, as notes://tag/{tag} does")
		}
		if len(key) > schema.MaxURI || plain.Text(key, schema.MaxURI) != key {
			return errors.New("uriTemplate is longer than 8 KiB, or has hidden or control characters")
		}
	case Prompts, Tools:
		if plain.Text(key, plain.MaxName) != key {
			return errors.New("name has more than 128 characters, or hidden ones")
		}
	default:
		if problem := schema.CheckURI(key); problem != nil {
			return schema.Wrong("uri", problem.Error())
		}
	}
	return nil
}

// clean returns a member of a description as clients may get it, or nil: it is left out. onlyKnown: so is one without a rule.
func (k *ListKind) clean(member, value []byte, onlyKnown bool) ([]byte, error) {
	known := false
	for i := range rules {
		r := &rules[i]
		if r.member != string(member) || r.kinds&k.rules == 0 {
			continue
		}
		if known = true; r.begins != 0 && value[0] != r.begins {
			return nil, schema.Wrong(r.member, "has the wrong type")
		}
		if r.valid != nil && !r.valid(value) {
			return nil, errors.New(r.rule)
		}
	}
	switch {
	case !known && onlyKnown:
		return nil, nil
	case string(member) == "_meta":
		return value, nil
	}
	name := string(member)
	clean, ok := plain.JSON(name, value)
	switch {
	case known && string(value) == `""`:
		return nil, nil
	case ok && (known || plain.Text(name, plain.MaxName) == name):
		return clean, nil
	case known:
		return nil, errors.New(name + plain.HiddenRule)
	}
	return nil, nil // of another revision, or the app's: the entry is good without it
}

func validMediaType(value []byte) bool {
	text, _ := jsonrpc.Text(value)
	return text == "" || schema.ValidMediaType(text)
}

func validSize(value []byte) bool {
	size, ok := jsonrpc.Int(value)
	return ok && size >= 0
}

func isOfObjects(value []byte) bool {
	kind, _ := jsonrpc.Text(jsonrpc.Member(value, "type"))
	return kind == "object"
}

// validArguments: of a prompt.
func validArguments(value []byte) bool {
	elements, ok := jsonrpc.Elements(value)
	seen := map[string]bool{}
	for _, element := range elements {
		name, isText := jsonrpc.Text(jsonrpc.Member(element, "name"))
		ok = ok && isText && name != "" && !seen[name] && plain.Text(name, plain.MaxName) == name
		seen[name] = true
	}
	return ok
}

// appendItem appends an entry that clients call key, in the shape of their revision.
func (k *ListKind) appendItem(dst []byte, item *Item, prefix, key string, rev revision) []byte {
	if rev == modern && (k.Rewrite == nil || prefix == "") {
		if key == item.Key {
			return append(dst, item.JSON...)
		}
		if begin := len(`{"":`) + len(k.Key); len(item.JSON) > begin && string(item.JSON[2:begin-2]) == k.Key {
			dst = jsonrpc.AppendString(append(dst, item.JSON[:begin]...), key)
			return append(dst, item.JSON[begin+jsonrpc.StringLength(item.JSON[begin:]):]...)
		}
	}
	o := emit.JSON(append(dst, '{'))
	s := jsonrpc.Scan(item.JSON)
	for s.Next() {
		name := string(s.Name)
		switch {
		case name == k.Key:
			o.Name(name)
			o.Quote(key)
		case k.Rewrite != nil:
			o.Member(name, k.Rewrite(name, s.Value, prefix))
		case introducedIn(name, k == Tools) > rev:
		case name == "annotations" && k != Tools:
			addAnnotations(&o, s.Value, rev)
		case k == Prompts && name == "arguments" && !rev.hasTitles():
			o.Name(name)
			arguments, _ := jsonrpc.Elements(s.Value)
			if len(arguments) == 0 {
				o.Text("[")
			}
			for i, argument := range arguments {
				o.Text(emit.Separator(i))
				o.Text("{")
				o.Members(argument, func(name string) bool { return introducedIn(name, false) <= rev })
				o.Text("}")
			}
			o.Text("]")
		case name == "outputSchema" && rev != modern && string(jsonrpc.Member(s.Value, "type")) != `"object"`:
			// Only 2026-07-28 has results that are no objects.
		default:
			o.Member(name, s.Value)
		}
	}
	return append(o, '}')
}
