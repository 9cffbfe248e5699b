/**
 * A page around the playground, whose server says exactly what a test wants: a frame with embed.html, and
 * a port whose other end answers here.
 */

import type { Frame, Page } from 'puppeteer-core'
import { type Playground, servePlayground, sharePlayground } from '../harness.ts'

/** The server in the page around; tests call it by `page.evaluate`. */
export interface HostServer {
  /** What `notes://today` says. */
  text: string
  /** Tells whoever listens that it has changed. */
  changed(): void
  /** Called with each text that the playground sends. */
  heard?(text: string): void
  /** Sends texts as they are. */
  say(...texts: readonly string[]): void
}

declare global {
  var server: HostServer
}

const html = `<!doctype html><title>host</title>
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>
<iframe></iframe><script type="module" src="host.js"></script>`

function serve() {
  let port: MessagePort | undefined
  let listens: unknown
  const say = (message: object) => port?.postMessage(JSON.stringify({ jsonrpc: '2.0', ...message }))
  const uri = 'notes://today'
  const name = 'Today'
  const complete = { resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' }
  const skill = 'skill://packing/SKILL.md'
  const extensions = { 'io.modelcontextprotocol/skills': {} }
  const results: Record<string, () => object> = {
    'server/discover': () => ({
      ...complete,
      supportedVersions: ['2026-07-28'],
      capabilities: {
        resources: { subscribe: true },
        ...(location.search === '?skills' && { extensions }),
      },
      _meta: {
        'io.modelcontextprotocol/serverInfo': { name: 'host', version: '1.0.0', title: name },
      },
    }),
    'resources/list': () => ({
      ...complete,
      resources: Array.from({ length: location.search === '?many' ? 10_005 : 1 }, (_, i) =>
        i === 0
          ? { uri, name, description: name, title: name }
          : { uri: `notes://${i}`, name: `Note ${i}` },
      ),
    }),
    'resources/templates/list': () => ({ ...complete, resourceTemplates: [] }),
    'skills/list': () => ({
      ...complete,
      skills: [
        {
          uri: skill,
          frontmatter: { name: 'packing', description: 'What to pack for a trip.' },
          resources: [
            { uri: skill, digest: `sha256:${'0'.repeat(64)}`, size: 2100 },
            {
              uri: 'skill://packing/list.txt',
              digest: 'sha256:ae0f0d7c25549d94af82600417c53fefbfb840c8c519b53a387566b8d4cfb10b', // of what it says
              size: 11,
            },
          ],
        },
        { uri: 'skill://odd/SKILL.md', frontmatter: null, resources: [null, 7] },
      ],
    }),
    'resources/read': () => ({
      ...complete,
      contents: [{ uri, mimeType: 'text/plain', text: globalThis.server.text }],
    }),
  }
  const meta = () => ({ 'io.modelcontextprotocol/subscriptionId': listens })
  globalThis.server = {
    text: 'milk, bread',
    changed: () =>
      say({ method: 'notifications/resources/updated', params: { _meta: meta(), uri } }),
    say(...texts) {
      for (const text of texts) port?.postMessage(text)
    },
  }
  function hear({ data }: MessageEvent) {
    const { id, method, params } = typeof data === 'string' ? JSON.parse(data) : data
    globalThis.server.heard?.(typeof data === 'string' ? data : JSON.stringify(data))
    if (id === undefined || method === undefined) return
    if (method === 'subscriptions/listen') {
      listens = id
      const { notifications } = params
      say({
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: meta(), notifications },
      })
      return
    }
    const result = results[method]
    say(
      result
        ? { id, result: result() }
        : { id, error: { code: -32601, message: 'Method not found' } },
    )
  }
  const frame = document.querySelector('iframe') as HTMLIFrameElement
  addEventListener('message', ({ data }) => {
    if (data?.pagemcp !== 'playground-ready') return
    const channel = new MessageChannel()
    port = channel.port1
    port.onmessage = hear
    const offer = { pagemcp: 'playground', title: 'Host' }
    frame.contentWindow?.postMessage(offer, location.origin, [channel.port2])
  })
  frame.src = `/playground/embed.html?lang=en&allow=${encodeURIComponent(location.origin)}`
}

const files = { '/host/index.html': html, '/host/host.js': `(${serve})()` }

/** Serves the playground, and a page around it. */
export const serveHosted = (): Promise<Playground> => servePlayground(files)

/** The same for a file whose tests share a tab. */
export const shareHosted = (): Playground => sharePlayground(files)

/**
 * Opens the page around, and waits until the playground in it has its first answer.
 *
 * @param search - `?skills`: the server has skills; `?many`: it has 10,005 resources
 */
export async function openHosted(
  open: (url: string) => Promise<Page>,
  { origin }: Playground,
  search: '' | '?skills' | '?many' = '',
): Promise<{ page: Page; frame: Frame }> {
  const page = await open(`${origin}/host/index.html${search}`)
  const element = await page.waitForSelector('iframe')
  const frame = await element?.contentFrame()
  if (!frame) throw new Error('the frame has no document')
  await frame.waitForSelector('html[data-ready]')
  await frame.waitForSelector('.tl-row[data-row]')
  return { page, frame }
}

/** What the list shows: for each row in sight its texts, as people read them. */
export const listed = (frame: Frame): Promise<string[]> =>
  frame.$$eval('.tl-row[data-row]', (rows) =>
    rows
      .map((row): [number, string] => [
        Number(row.getAttribute('aria-rowindex')),
        [...row.querySelectorAll('.tl-client, .tl-method, .tl-said, .tl-target, .tl-status')]
          .map((cell) => cell.textContent?.trim())
          .filter(Boolean)
          .join(' | '),
      ])
      .sort(([a], [b]) => a - b)
      .map(([, text]) => text),
  )
