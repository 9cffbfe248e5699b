package remote

import (
	"errors"

	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
	"github.com/pagemcp/pagemcp/wasm/schema"
)

// Results of the other engine, as a Remote reads them.

var errAnswer = errors.New("the other engine's answer is not valid")

// decodeList returns the elements of an array member of a result, and nextCursor. They share memory with the result.
func decodeList(result []byte, member string) (elements [][]byte, next string, err error) {
	found, valid := false, true
	s := jsonrpc.Scan(result)
	for s.Next() {
		isValid := true
		switch string(s.Name) {
		case "resultType":
			isValid = string(s.Value) == `"complete"`
		case "nextCursor":
			next, isValid = jsonrpc.Text(s.Value)
		case member:
			elements, isValid = jsonrpc.Elements(s.Value)
			found = true
		}
		valid = valid && isValid
	}
	if s.Err() != nil || !found || !valid {
		return nil, "", errAnswer
	}
	return elements, next, nil
}

// relayed returns contents whose text or blob is the JSON text it came in: it may be large, and goes out again just so.
func relayed(read schema.Contents) (c engine.Contents) {
	c.URI, _ = jsonrpc.Text(read.URI)
	c.MIMEType, _ = jsonrpc.Text(read.MIMEType)
	c.Relayed.Body, c.Relayed.IsBlob = read.Text, read.Blob != nil
	if read.Blob != nil {
		c.Relayed.Body = read.Blob
	}
	c.Meta = read.Meta
	return c
}
