package gateway

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	json "github.com/go-json-experiment/json"
	"github.com/pagemcp/pagemcp/wasm/engine"
	"github.com/pagemcp/pagemcp/wasm/jsonrpc"
)

// wait implements wait_for_change.
func (r *resourceTools) wait(ctx context.Context, arguments []byte) (toolResult, error) {
	var args struct {
		URIs    []string `json:"uris"`
		Timeout *float64 `json:"timeoutSeconds"`
	}
	if err := json.Unmarshal(arguments, &args); err != nil || len(args.URIs) == 0 || len(args.URIs) > maxWaitURIs {
		return toolResult{}, fmt.Errorf("%w: uris must be a list of 1 to %d URIs, timeoutSeconds a number", errArguments, maxWaitURIs)
	}
	timeout := defaultWait
	if args.Timeout != nil {
		timeout = time.Duration(*args.Timeout * float64(time.Second))
		if timeout <= 0 || timeout > maxWait {
			return toolResult{}, fmt.Errorf("%w: timeoutSeconds must be above 0 and at most %v", errArguments, maxWait.Seconds())
		}
	}
	filter, err := json.Marshal(map[string][]string{"resourceSubscriptions": args.URIs})
	if err != nil {
		return toolResult{}, err
	}
	notifications := make(chan jsonrpc.Message, maxWaitURIs+1) // room for one `updated` per URI and the acknowledgement
	c := r.connect(ctx, "wait_for_change", func(m jsonrpc.Message) {
		select {
		case notifications <- m:
		default: // a further `updated` of the same URI
		}
	})
	defer c.Close()
	c.begin(engine.MethodListen, append([]byte(`"notifications":`), filter...))
	// The time counts from the acknowledgement: before it, nothing is known about the URIs.
	started, timer := time.Now(), time.NewTimer(timeout+2*engine.ArmTimeout)
	defer timer.Stop()
	progress := time.NewTicker(progressInterval)
	defer progress.Stop()
	for {
		select {
		case m := <-notifications:
			switch m.Method {
			case engine.MethodAcknowledged:
				started = time.Now()
				timer.Reset(timeout)
				if unavailable := missing(args.URIs, m.Params); len(unavailable) > 0 {
					return failedTool("These resources cannot be watched: " + strings.Join(unavailable, ", ") + ". Call list_resources for the available URIs."), nil
				}
			case engine.MethodUpdated:
				uri, _ := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
				return changedResult(drain(uri, notifications), started)
			}
		case <-progress.C:
			engine.InvocationOf(ctx).Progress(fmt.Appendf(nil, `{"progress":%d,"total":%d,"message":"no change yet"}`,
				int(time.Since(started).Seconds()), int(timeout.Seconds())))
		case <-timer.C:
			return changedResult([]string{}, started)
		case msg := <-c.answers:
			if _, err := answerOf(msg); err != nil {
				return toolResult{}, err
			}
			return changedResult([]string{}, started) // the gateway is closing
		case <-ctx.Done():
			return toolResult{}, ctx.Err()
		}
	}
}

// missing returns the URIs that an acknowledgement does not contain.
func missing(uris []string, acknowledged []byte) (unavailable []string) {
	var accepted []string
	if text := jsonrpc.Member(jsonrpc.Member(acknowledged, "notifications"), "resourceSubscriptions"); text != nil {
		if json.Unmarshal(text, &accepted) != nil {
			return nil
		}
	}
	has := map[string]bool{}
	for _, uri := range accepted {
		has[uri] = true
	}
	for _, uri := range uris {
		if !has[uri] {
			unavailable = append(unavailable, uri)
		}
	}
	return unavailable
}

// drain returns first and the URIs of the further `updated` notifications received so far,
// each once.
func drain(first string, notifications <-chan jsonrpc.Message) []string {
	uris := []string{first}
	for {
		select {
		case m := <-notifications:
			uri, ok := jsonrpc.Text(jsonrpc.Member(m.Params, "uri"))
			if ok && m.Method == engine.MethodUpdated && !slices.Contains(uris, uri) {
				uris = append(uris, uri)
			}
		default:
			return uris
		}
	}
}

// changedResult returns the result of wait_for_change. No uris means a timeout.
func changedResult(uris []string, started time.Time) (toolResult, error) {
	result, err := structured(struct {
		Changed  []string `json:"changed"`
		TimedOut bool     `json:"timedOut"`
	}{uris, len(uris) == 0})
	text := fmt.Sprintf("Nothing changed within %.0f seconds.", time.Since(started).Seconds())
	if len(uris) > 0 {
		text = "Changed: " + strings.Join(uris, ", ") + ". Read again with read_resource."
	}
	result.Content = []block{textBlock(text)}
	return result, err
}
