/** The gateway of this user, for a development server, which runs in Node: by the socket that the gateway's commands use. */

import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'

/** The state directory of the gateway unless it is started with another one: `DefaultState` of the program. */
export function defaultState(): string {
  const { env, platform } = process
  const { XDG_STATE_HOME = '', APPDATA = '' } = env
  if (isAbsolute(XDG_STATE_HOME)) return join(XDG_STATE_HOME, 'pagemcp')
  if (platform === 'win32') return join(APPDATA, 'pagemcp')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'pagemcp')
  return join(homedir(), '.local', 'state', 'pagemcp')
}

const answerTime = 5_000 // ms
const maxAnswer = 16_384 // bytes

/**
 * Sends a command to the running gateway: only this user can.
 *
 * @param state - the state directory
 * @returns the result; `undefined` if no gateway runs
 * @throws Error with the gateway's text if it refuses
 */
export async function command(state: string, name: string, params: object = {}): Promise<unknown> {
  let socketPath = join(state, 'socket')
  if (process.platform === 'win32') {
    socketPath = (await readFile(socketPath, 'utf8').catch(() => '')).trim() // the name of a pipe
    if (!socketPath.startsWith('\\\\.\\pipe\\pagemcp-')) return undefined
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        socketPath,
        path: `/control/${name}`,
        method: 'POST',
        timeout: answerTime,
        headers: { host: 'pagemcp' },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (part: string) => {
          text += part
          if (text.length > maxAnswer)
            sent.destroy(new Error('the answer of the gateway is too long'))
        })
        response.on('error', reject)
        response.on('end', () => {
          if (response.statusCode !== 200) return reject(new Error(text.trim()))
          try {
            resolve(JSON.parse(text))
          } catch (cause) {
            reject(new Error('the answer of the gateway is not JSON', { cause }))
          }
        })
      },
    )
    sent.on('timeout', () => sent.destroy(new Error('the gateway does not answer')))
    sent.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined)
      else reject(error)
    })
    sent.end(JSON.stringify(params))
  })
}

/** What is known of a request for an invitation. */
export interface Asking {
  method?: string | undefined
  headers: { readonly [name: string]: string | string[] | undefined }
  socket: {
    remoteAddress?: string | undefined
    localPort?: number | undefined
    encrypted?: boolean
  }
}

/**
 * The origin that a request for an invitation comes from: a page of this very server, in a browser of this machine. `undefined`
 * for all others: those of the network, other origins, names that only resolve to this machine, and proxies and tunnels.
 */
export function ownOrigin({ method, headers, socket }: Asking): string | undefined {
  const { host = '', origin } = headers
  const { remoteAddress = '', localPort, encrypted } = socket
  const isNear = /^(?:::ffff:)?127(?:\.\d+){3}$|^::1$/.test(remoteAddress)
  const isLoopback = /^(?:localhost|[a-z0-9-]+\.localhost|127\.0\.0\.1|\[::1\]):(\d+)$/.exec(
    String(host),
  )
  const isRelayed = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'].some(
    (name) => headers[name] !== undefined,
  )
  const site = headers['sec-fetch-site'] ?? 'same-origin'
  if (method !== 'POST' || !isNear || isRelayed || site !== 'same-origin') return undefined
  if (isLoopback === null || Number(isLoopback[1]) !== localPort) return undefined
  const own = `${encrypted ? 'https' : 'http'}://${host}`
  return origin === own ? own : undefined
}
