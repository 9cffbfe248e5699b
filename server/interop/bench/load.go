package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// A crowd is some clients of one subject, each with a session of revision 2025-11-25, or in the
// form of 2026-07-28, and a connection that is kept.
type crowd struct {
	subject subject
	web     *http.Client
	clients []*client
}

type client struct {
	crowd   *crowd
	session string
	random  *rand.Rand
	id      int
	uri     string
	request []byte
	answer  bytes.Buffer
}

const requestTimeout = 30 * time.Second

func connect(ctx context.Context, s subject, clients int) (*crowd, error) {
	transport := &http.Transport{MaxIdleConnsPerHost: clients, DisableCompression: true}
	c := &crowd{subject: s, web: &http.Client{Transport: transport, Timeout: requestTimeout}}
	for i := range clients {
		one := &client{crowd: c, random: rand.New(rand.NewPCG(1, uint64(i)))}
		if err := one.initialize(ctx); err != nil {
			return nil, err
		}
		c.clients = append(c.clients, one)
	}
	return c, nil
}

// close ends the sessions.
func (c *crowd) close() {
	for _, one := range c.clients {
		if c.subject.Modern {
			break
		}
		request, err := one.make(context.Background(), http.MethodDelete, nil)
		if err != nil {
			continue
		}
		if response, err := c.web.Do(request); err == nil {
			response.Body.Close()
		}
	}
	c.web.CloseIdleConnections()
}

// check compares answers with what the records are: all that are read, or a part of them.
func (c *crowd) check(ctx context.Context) error {
	one := c.clients[0]
	step := 98
	if c.subject.Below > 0 {
		step = 2
	}
	for n := c.first(); n < c.below(); n += step {
		if err := one.read(ctx, n); err != nil {
			return err
		}
		var answer struct {
			Result struct {
				Contents []struct{ URI, MIMEType, Text string }
			}
		}
		if err := json.Unmarshal(message(one.answer.Bytes()), &answer); err != nil {
			return fmt.Errorf("read %s: %w", recordURI(n), err)
		}
		contents := answer.Result.Contents
		if len(contents) != 1 || contents[0].URI != c.subject.Prefix+recordURI(n) || contents[0].MIMEType != "text/plain" || contents[0].Text != recordText(n) {
			return fmt.Errorf("read %s: %.200s", recordURI(n), one.answer.String())
		}
	}
	return nil
}

func (c *crowd) below() int { return cmp.Or(c.subject.Below, records) }

func (c *crowd) first() int {
	if c.subject.Odd {
		return 1
	}
	return 0
}

// load has all clients read one record after another for some time, and returns the
// reads per second.
func (c *crowd) load(ctx context.Context, span time.Duration) (float64, error) {
	var all sync.WaitGroup
	reads := make([]int, len(c.clients))
	failures := make([]error, len(c.clients))
	begun := time.Now()
	for i, one := range c.clients {
		all.Go(func() {
			for time.Since(begun) < span && failures[i] == nil {
				n := 2*one.random.IntN(c.below()/2) + c.first()
				failures[i] = one.read(ctx, n)
				reads[i]++
			}
		})
	}
	all.Wait()
	elapsed := time.Since(begun)
	total := 0
	for _, n := range reads {
		total += n
	}
	return float64(total) / elapsed.Seconds(), errors.Join(failures...)
}

// read reads a record. The answer is in c.answer, as it came.
func (c *client) read(ctx context.Context, n int) error {
	c.id++
	meta := ""
	if c.crowd.subject.Modern {
		meta = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"bench","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	c.uri = c.crowd.subject.Prefix + recordURI(n)
	c.request = fmt.Appendf(c.request[:0], `{"jsonrpc":"2.0","id":%d,"method":"resources/read","params":{"uri":"%s"%s}}`, c.id, c.uri, meta)
	_, err := c.post(ctx, http.StatusOK)
	if err == nil && (!bytes.Contains(c.answer.Bytes(), []byte(`"result"`)) || c.answer.Len() < textSize) {
		return fmt.Errorf("read %s: %.200s", recordURI(n), c.answer.String())
	}
	return err
}

func (c *client) initialize(ctx context.Context) error {
	if c.crowd.subject.Modern {
		return nil
	}
	c.request = []byte(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	header, err := c.post(ctx, http.StatusOK)
	if err != nil {
		return err
	}
	c.session = header.Get("Mcp-Session-Id")
	c.request = []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	_, err = c.post(ctx, http.StatusAccepted)
	return err
}

// post sends c.request and reads the whole answer.
func (c *client) post(ctx context.Context, status int) (http.Header, error) {
	request, err := c.make(ctx, http.MethodPost, bytes.NewReader(c.request))
	if err != nil {
		return nil, err
	}
	response, err := c.crowd.web.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	c.answer.Reset()
	if _, err := c.answer.ReadFrom(response.Body); err != nil {
		return nil, err
	}
	if response.StatusCode != status {
		return nil, fmt.Errorf("%s: status %d: %.200s", c.request, response.StatusCode, c.answer.String())
	}
	return response.Header, nil
}

func (c *client) make(ctx context.Context, method string, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.crowd.subject.URL, body)
	if err != nil {
		return nil, err
	}
	header := request.Header
	header.Set("Content-Type", "application/json")
	header.Set("Accept", "application/json, text/event-stream")
	if c.crowd.subject.Modern {
		header.Set("Mcp-Protocol-Version", "2026-07-28")
		header.Set("Mcp-Method", "resources/read")
		header.Set("Mcp-Name", c.uri)
	} else {
		header.Set("Mcp-Protocol-Version", "2025-11-25")
	}
	if c.session != "" {
		header.Set("Mcp-Session-Id", c.session)
	}
	if c.crowd.subject.Token != "" {
		header.Set("Authorization", "Bearer "+c.crowd.subject.Token)
	}
	return request, nil
}

// message returns the JSON text of an answer: itself, or the data of the last event.
func message(answer []byte) []byte {
	if i := bytes.LastIndex(answer, []byte("data: ")); i >= 0 && !bytes.HasPrefix(answer, []byte("{")) {
		return bytes.TrimSpace(answer[i+len("data: "):])
	}
	return answer
}
