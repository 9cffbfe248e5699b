/** Settings and commands that connect assistants. */

import { say } from './shared/texts.ts'
import type { StartTexts } from './texts/en.ts'

/** The description of the gateway by the web server of `pagemcp dev`. It contains no secret. */
export interface Config {
  /** The MCP URL. */
  mcp: string
  /** The address that pages join. */
  gateway: string
  /** The file of the bearer token; without it, no token is needed. */
  tokenFile?: string
  /** The path of the pagemcp command. */
  command?: string
  /** The state directory of the gateway, unless it is the usual one. */
  state?: string
  /** The names of the demos. */
  demos: readonly string[]
}

export interface Way {
  title: string
  hint: string
  text: string
}

const request = {
  jsonrpc: '2.0',
  id: 1,
  method: 'resources/list',
  params: {
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
}

export function ways({ mcp, tokenFile, command, state }: Config, texts: StartTexts): Way[] {
  const install = `${quoted(command ?? 'pagemcp')} install`
  const flags = state === undefined ? '' : ` --state ${quoted(state)}`
  const token = tokenFile === undefined ? '' : `Authorization: Bearer $(cat ${quoted(tokenFile)})`
  const all: Way[] = [
    {
      title: 'MCP URL',
      hint: tokenFile === undefined ? texts.noToken : say(texts.tokenIn, { file: tokenFile }),
      text: mcp,
    },
    {
      title: 'Claude Code',
      hint: texts.claude,
      text: `${install} claude-code${flags}`,
    },
    {
      title: 'VS Code',
      hint: texts.vsCode,
      text: `${install} vscode${flags}`,
    },
    {
      title: texts.others,
      hint: texts.othersHint,
      text: `${install} --list`,
    },
    {
      title: 'curl',
      hint: texts.curl,
      text: [
        `curl -s ${mcp}`,
        ...(token && [`-H "${token}"`]),
        "-H 'Content-Type: application/json' -H 'Accept: application/json, text/event-stream'",
        "-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: resources/list'",
        `-d '${JSON.stringify(request)}'`,
      ].join(' \\\n  '),
    },
  ]
  if (command !== undefined) {
    const args = ['stdio', ...(state === undefined ? [] : ['--state', state])]
    const config = { mcpServers: { pagemcp: { command, args } } }
    all.push({
      title: texts.command,
      hint: texts.commandHint,
      text: JSON.stringify(config, undefined, 2),
    })
  }
  return all
}

/** A path as one word of a shell. */
function quoted(path: string): string {
  if (/^[A-Z]:\\/i.test(path)) return /\s/.test(path) ? `"${path}"` : path // Windows
  return /^[\w./~-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
