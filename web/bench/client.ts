/** A raw JSON-RPC client for all subjects, and its pair of ports. */

export interface Message {
  jsonrpc: '2.0'
  id?: number
  method?: string
  params?: { [name: string]: unknown }
  result?: Result
  error?: { code: number; message: string }
}

export interface Result {
  nextCursor?: string
  [name: string]: unknown
}

/** The end of a pair that a subject gets: the members of a MessagePort that it needs. */
export interface DirectPort {
  postMessage(message: unknown): void
  onmessage: ((event: { data: Message }) => void) | null
}

/** The next request of a workload: a method and its params; `last` is the previous result. */
export type Ask = (
  i: number,
  last: Result | undefined,
) => [method: string, params?: { [name: string]: unknown }]

export interface Client {
  call(method: string, params?: { [name: string]: unknown }): Promise<Result>
  notify(method: string): void
  /** Sends `count` requests, at most `inFlight` at once, and returns the time that took, in ms. */
  run(count: number, inFlight: number, ask: Ask): Promise<number>
}

/**
 * Two ports that pass messages by reference and synchronously, without clone or task, so that only the
 * subject's own work is measured.
 *
 * @param meta - put into the params of each request: the envelope of the modern era
 */
export function directClient(meta?: { [name: string]: unknown }): {
  client: Client
  far: DirectPort
} {
  let id = 0
  let answered: (message: Message) => void = () => {}
  const far: DirectPort = {
    onmessage: null,
    postMessage: (message) => answered(message as Message),
  }
  const send = (method: string, params: { [name: string]: unknown } | undefined) => {
    const whole = meta === undefined ? params : { ...params, _meta: meta }
    const message: Message = { jsonrpc: '2.0', id: ++id, method }
    if (whole !== undefined) message.params = whole
    far.onmessage?.({ data: message })
  }
  const resultOf = ({ error, result }: Message): Result => {
    if (result === undefined) throw new Error(`answered ${JSON.stringify(error)}`)
    return result
  }

  const client: Client = {
    call: (method, params) =>
      new Promise((resolve, reject) => {
        answered = (message) => {
          if (message.id === undefined) return
          try {
            resolve(resultOf(message))
          } catch (error) {
            reject(error)
          }
        }
        send(method, params)
      }),
    notify: (method) => far.onmessage?.({ data: { jsonrpc: '2.0', method } }),
    run: (count, inFlight, ask) =>
      new Promise((resolve, reject) => {
        const waiting = new Set<number>()
        let sent = 0
        let pumping = false
        let last: Result | undefined
        const begun = performance.now()
        const pump = () => {
          if (pumping) return // within a send that is answered at once
          pumping = true
          while (sent < count && waiting.size < inFlight) {
            const [method, params] = ask(sent++, last)
            waiting.add(id + 1)
            send(method, params)
          }
          pumping = false
          if (sent === count && waiting.size === 0) resolve(performance.now() - begun)
        }
        answered = (message) => {
          if (message.id === undefined) return
          if (!waiting.delete(message.id))
            return reject(new Error(`no request has the id ${message.id}`))
          if (message.result === undefined) return reject(new Error(JSON.stringify(message.error)))
          last = message.result
          pump()
        }
        pump()
      }),
  }
  return { client, far }
}
