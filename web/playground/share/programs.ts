/** Formats a request as a small program for the TypeScript and Go SDKs. */

import { isModern, type Params, type Revision } from '../protocol/revisions.ts'
import { goString, jsonString, typescript } from './escape.ts'

/** Params without the members that the SDKs add. */
function ownParams({ params }: Params): Params {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return {}
  const { _meta, ...own } = params as Params
  const kept = Object.entries((_meta ?? {}) as Params).filter(
    ([name]) => !name.startsWith('io.modelcontextprotocol/'),
  )
  return kept.length > 0 ? { ...own, _meta: Object.fromEntries(kept) } : own
}

const typescriptCalls = new Map(
  Object.entries({
    'resources/list': 'listResources',
    'resources/templates/list': 'listResourceTemplates',
    'resources/read': 'readResource',
    'resources/subscribe': 'subscribeResource',
    'resources/unsubscribe': 'unsubscribeResource',
    'prompts/list': 'listPrompts',
    'prompts/get': 'getPrompt',
    'tools/list': 'listTools',
    'tools/call': 'callTool',
    'completion/complete': 'complete',
    'server/discover': 'discover',
  }),
)

/** A program for `@modelcontextprotocol/client` 2. */
export function asTypeScript(message: Params, url: string, revision: Revision): string {
  const method = String(message.method ?? '')
  const params = ownParams(message)
  const json = Object.keys(params).length > 0 ? typescript(params) : ''
  const call = typescriptCalls.get(method)
  const mode = isModern(revision) ? `{ pin: '${revision}' }` : `'legacy'`
  const asked =
    method === 'initialize' || method === 'notifications/initialized'
      ? '// connect() has done the handshake'
      : method === 'ping'
        ? 'await client.ping()'
        : method === 'logging/setLevel'
          ? `await client.setLoggingLevel(${typescript(params.level)})`
          : method === 'subscriptions/listen'
            ? `const subscription = await client.listen(${typescript(params.notifications ?? {})})`
            : call
              ? `const result = await client.${call}(${json})\nconsole.log(result)`
              : `// The client has no call for ${jsonString(method)}: send it as raw JSON.`
  return `import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client(
  { name: 'example', version: '1.0.0' },
  { versionNegotiation: { mode: ${mode} } },
)
await client.connect(new StreamableHTTPClientTransport(new URL(${jsonString(url)})))
${asked}
await client.close()
`
}

const goCalls = new Map<string, readonly [call: string, params: string]>([
  ['resources/list', ['ListResources', 'ListResourcesParams']],
  ['resources/templates/list', ['ListResourceTemplates', 'ListResourceTemplatesParams']],
  ['resources/read', ['ReadResource', 'ReadResourceParams']],
  ['prompts/list', ['ListPrompts', 'ListPromptsParams']],
  ['prompts/get', ['GetPrompt', 'GetPromptParams']],
  ['tools/list', ['ListTools', 'ListToolsParams']],
  ['tools/call', ['CallTool', 'CallToolParams']],
  ['completion/complete', ['Complete', 'CompleteParams']],
])

/**
 * A program for `github.com/modelcontextprotocol/go-sdk` 1.8. It unmarshals the params from JSON, so that any
 * value works.
 */
export function asGo(message: Params, url: string): string {
  const method = String(message.method ?? '')
  const params = ownParams(message)
  const found = goCalls.get(method)
  const pair =
    found ??
    (method === 'resources/subscribe'
      ? (['Subscribe', 'SubscribeParams'] as const)
      : method === 'resources/unsubscribe'
        ? (['Unsubscribe', 'UnsubscribeParams'] as const)
        : undefined)
  const body = pair
    ? `	params := &mcp.${pair[1]}{}
	if err := json.Unmarshal([]byte(${goString(JSON.stringify(params))}), params); err != nil {
		log.Fatal(err)
	}
	${found ? 'result, err' : 'err'} ${found ? ':=' : '='} session.${pair[0]}(ctx, params)
	if err != nil {
		log.Fatal(err)
	}
${found ? '\tjson.NewEncoder(os.Stdout).Encode(result)\n' : ''}`
    : `	// The client has no call for ${jsonString(method)}, or has made it by connecting.\n`
  const packages = ['context', ...(pair ? ['encoding/json'] : []), 'log', ...(found ? ['os'] : [])]
  return `package main

import (
${packages.map((name) => `\t"${name}"`).join('\n')}

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	ctx := context.Background()
	client := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1.0.0"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: ${goString(url)}}, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
${body}}
`
}
