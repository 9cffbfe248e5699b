/**
 * `pagemcp/vite`: a plugin for Vite 5 and newer. In development it makes each page call `dev` of `pagemcp/dev`, and pairs it with
 * the gateway of this user. A production build has nothing of it.
 *
 * ```js
 * // vite.config.js
 * import pagemcp from 'pagemcp/vite'
 *
 * export default { plugins: [pagemcp()] }
 * ```
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Asking, command, defaultState, ownOrigin } from './dev/gateway.ts'

export interface VitePluginOptions {
  /** The page's name at the gateway; default: that of package.json and `-dev`. */
  name?: string
  /** The gateway's state directory, as `pagemcp dev --state`; default: the user's. */
  state?: string
}

/** What Vite takes as a plugin. */
export interface VitePlugin {
  name: string
  apply: 'serve'
}

// The parts of Vite's interface that this uses.
interface Server {
  middlewares: { use(path: string, handle: (request: Asking, response: Response) => void): void }
  httpServer: { once(event: 'close', act: () => void): void } | null
  ws: { send(message: { type: 'custom'; event: string }): void }
}
interface Response {
  statusCode: number
  setHeader(name: string, value: string): void
  end(text: string): void
}

const modulePath = '@pagemcp/dev'
const invitationPath = '@pagemcp/invitation'
const pollTime = 1_000 // ms, while no gateway runs and a page waits for one

/** Returns the plugin. */
// biome-ignore lint/style/noDefaultExport: as plugins of Vite are imported
export default function pagemcp({
  name,
  state = defaultState(),
}: VitePluginOptions = {}): VitePlugin {
  let base = '/'
  let root = ''
  const plugin = {
    name: 'pagemcp',
    apply: 'serve' as const,
    /** Vite before 8 bundles dependencies without the files that they refer to. */
    config: () => ({ optimizeDeps: { exclude: ['pagemcp'] } }),
    configResolved(config: { root: string; base: string }) {
      base = config.base
      root = config.root
    },
    resolveId: (id: string) => (id === `/${modulePath}` ? id : undefined),
    load(id: string) {
      if (id !== `/${modulePath}`) return undefined
      const own = { name: name ?? nameOf(root), base, root, invitation: base + invitationPath }
      const options = JSON.stringify(own)
      return `import { dev } from 'pagemcp/dev'\ndev({ ...${options}, hot: import.meta.hot })\n`
    },
    transformIndexHtml: () => [
      {
        tag: 'script',
        attrs: { type: 'module', src: base + modulePath },
        injectTo: 'head-prepend' as const,
      },
    ],
    configureServer(server: Server) {
      let timer: ReturnType<typeof setInterval> | undefined
      const look = async () => {
        const running = await command(state, 'running').catch(() => undefined)
        if (running === undefined || timer === undefined) return
        clearInterval(timer)
        timer = undefined
        server.ws.send({ type: 'custom', event: 'pagemcp:gateway' })
      }
      server.httpServer?.once('close', () => clearInterval(timer))
      server.middlewares.use(base + invitationPath, (request, response) => {
        const answer = (status: number, text: string) => {
          response.statusCode = status
          response.setHeader('content-type', 'text/plain; charset=utf-8')
          response.setHeader('cache-control', 'no-store')
          response.end(text)
        }
        const origin = ownOrigin(request)
        if (origin === undefined) {
          return answer(403, 'only pages of this server in a browser of this machine are invited')
        }
        command(state, 'pair', { origin }).then(
          (invitation) => {
            if (invitation !== undefined)
              return answer(200, (invitation as { fragment: string }).fragment)
            timer ??= setInterval(look, pollTime).unref()
            answer(503, 'no gateway is running: start `pagemcp dev`, and this page joins it')
          },
          (error: Error) => answer(502, `the gateway does not invite this page: ${error.message}`),
        )
      })
    },
  }
  return plugin
}

/** The name of an app, by its package.json, with `-dev`; the gateway spells it as it spells names. */
function nameOf(root: string): string {
  try {
    const { name } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      name?: string
    }
    return `${name ?? 'app'}-dev`
  } catch {
    return 'app-dev' // none: the root of a page without packages
  }
}
