/**
 * Serves the documentation to the assistants of a gateway: each page as Markdown, and search as a tool. Loaded
 * when the visitor asks for it, or has opened the page by a gateway's link; nothing is served before.
 */

import { type JoinReason, type PageMcp, start } from 'pagemcp'
import { type Index, search } from './search.ts'

/** How serving stands. */
export type Standing = 'starting' | 'joined' | 'away' | 'unpaired' | 'failed' | 'stopped'

const uriOf = (path: string) => `docs:///${path}`

/** The address of the gateway beside the server of this page; `undefined`: the usual one. */
async function gateway(root: string): Promise<string | undefined> {
  try {
    const response = await fetch(`${root}../pagemcp/config.json`, { cache: 'no-store' })
    if (response.ok) return ((await response.json()) as { gateway?: string }).gateway
  } catch {
    // another server, without that file
  }
  return undefined
}

/** The skill that the documentation offers. */
const skill = {
  name: 'pagemcp-docs',
  description:
    'Answers questions about PageMCP, which turns a web page into an MCP server, from its documentation. Use it before writing code that imports pagemcp, and for error messages of pagemcp.',
}

const skillText = `# Answer from the documentation of PageMCP

1. Call \`search_docs\` with the words of the question. For an error message, search for its fixed words, without values.
2. Read the pages that it links, whole: they are short. \`docs:///index\` is the way from nothing to a page that an assistant reads.
3. For code, take the examples of \`docs:///guide\` and \`docs:///bundlers\`: they are compiled or built by the tests. Signatures are in \`docs:///reference-index\`.
4. For what is sent over the wire, read an example: \`docs:///examples\` lists them.
5. Say which page an answer is from. If no page has it, say so.
`

/** Registers pages, template, tool and skill. */
function publish(mcp: PageMcp, root: string, index: Index) {
  const read = async (path: string) => {
    if (!index.pages.some(([own]) => own === path)) return undefined
    const response = await fetch(`${root}${path}.md`)
    if (!response.ok) throw new Error(`${path}.md: ${response.status}`)
    return response.text()
  }
  mcp.resources(
    index.pages.map(([path, title, description]) => [
      { uri: uriOf(path), name: path, title, description, mimeType: 'text/markdown' },
      () => read(path),
    ]),
  )
  mcp.resources(uriOf('{+page}'), {
    name: 'page',
    title: 'Page of the documentation',
    mimeType: 'text/markdown',
    complete: { page: index.pages.map(([path]) => path) },
    read: ({ page }) => read(String(page)),
  })
  mcp.skill(skill, skillText)
  mcp.tool(
    'search_docs',
    {
      title: 'Search the documentation of PageMCP',
      description: 'Finds sections of the documentation in which all words occur, best first.',
      inputSchema: {
        type: 'object',
        properties: { query: { type: 'string', description: 'words, in English' } },
        required: ['query'],
      },
      annotations: { readOnlyHint: true },
    },
    ({ query }) =>
      search(index, String(query), 10).map(({ path, page, heading, excerpt }) => ({
        type: 'resource_link' as const,
        uri: uriOf(path),
        name: path,
        title: page === heading ? page : `${page}: ${heading}`,
        description: excerpt,
        mimeType: 'text/markdown',
      })),
  )
}

/**
 * Starts an engine, and joins the gateway.
 *
 * @param root - the URL of the documentation, relative to the document
 * @param show - gets the state and the page's name at the gateway
 * @returns a function that stops both
 */
export async function serve(
  root: string,
  index: Index,
  show: (standing: Standing, name?: string) => void,
): Promise<() => void> {
  const mcp = start({
    name: 'docs',
    access: 'open', // a demo, wherever it is served
    title: 'Documentation of PageMCP',
    instructions:
      'These are the pages of PageMCP’s documentation. Use search_docs to find sections, then read the page: docs:///guide.',
  })
  publish(mcp, root, index)
  mcp.on('error', (error) => reportError(error))
  mcp.on('state', ({ gateways }) => {
    const last = gateways.at(-1)
    if (last?.is === 'joined') show('joined', last.name)
    else if (last?.is === 'away') show('away')
  })
  mcp.connect(await gateway(root)).joined.catch((error: { reason?: JoinReason }) => {
    show(error.reason === 'not-invited' || error.reason === 'refused' ? 'unpaired' : 'failed')
  })
  return () => {
    mcp.close()
    show('stopped')
  }
}
