package schema

import (
	"slices"

	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// A Filter is what a listen requests, as far as it is offered. Other keys are
// left out of the acknowledgement.
type Filter struct {
	Lists uint8 // bits in the order of FilterKeys
	URIs  []string
}

// FilterKeys are the members of a filter for lists, by which it requests changes of lists.
var FilterKeys = [...]string{"resourcesListChanged", "promptsListChanged", "toolsListChanged"}

// ReadFilter reads the member notifications of a listen, or of its acknowledgement.
func ReadFilter(object []byte) (Filter, error) {
	var f Filter
	refusal := jsonrpc.Members(object, func(name string, value []byte) *jsonrpc.Error {
		if string(value) == "null" { // as many clients write what is absent
			return nil
		}
		switch name {
		case FilterKeys[0], FilterKeys[1], FilterKeys[2]:
			switch string(value) {
			case "true":
				f.Lists |= 1 << slices.Index(FilterKeys[:], name)
			case "false":
			default:
				return badFilter(name + " must be true or false")
			}
		case "resourceSubscriptions":
			return addTexts(&f.URIs, name, value)
		}
		return nil
	})
	if refusal != nil {
		return f, refusal
	}
	return f, nil
}

// FilterTexts returns a member of a filter that is an array of strings; nil: there is none.
func FilterTexts(filter []byte, member string) ([]string, error) {
	value := jsonrpc.Member(filter, member)
	if value == nil || string(value) == "null" {
		return nil, nil
	}
	texts := []string{}
	if refusal := addTexts(&texts, member, value); refusal != nil {
		return nil, refusal
	}
	return texts, nil
}

// addTexts adds those strings of an array that are not there yet.
func addTexts(all *[]string, name string, value []byte) *jsonrpc.Error {
	elements, ok := jsonrpc.Elements(value)
	seen := map[string]bool{}
	for _, element := range elements {
		var text string
		if text, ok = jsonrpc.Text(element); !ok {
			break
		}
		if !seen[text] {
			*all = append(*all, text)
		}
		seen[text] = true
	}
	if !ok {
		return badFilter(name + " must be an array of strings")
	}
	return nil
}

func badFilter(message string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "notifications." + message}
}
