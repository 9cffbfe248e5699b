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

/** The members of a MessagePort that clients and subjects need. */
export interface BenchPort {
  postMessage(message: unknown): void
  onmessage: ((event: MessageEvent<Message>) => void) | null
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
  /** Called for each notification. */
  notified: (message: Message) => void
}

/**
 * A client on one end of a pair of ports.
 *
 * @param meta - put into the params of each request: the envelope of the modern era
 */
export function benchClient(port: BenchPort, meta?: { [name: string]: unknown }): Client {
  let id = 0
  let answered: (message: Message) => void = () => {}
  port.onmessage = ({ data }) => {
    if (data.id === undefined) client.notified(data)
    else answered(data)
  }
  const send = (method: string, params: { [name: string]: unknown } | undefined) => {
    const whole = meta === undefined ? params : { ...params, _meta: meta }
    const message: Message = { jsonrpc: '2.0', id: ++id, method }
    if (whole !== undefined) message.params = whole
    port.postMessage(message)
  }

  const client: Client = {
    notified: () => {},
    call: (method, params) =>
      new Promise((resolve, reject) => {
        answered = ({ error, result }) => {
          if (result === undefined) reject(new Error(`answered ${JSON.stringify(error)}`))
          else resolve(result)
        }
        send(method, params)
      }),
    notify: (method) => port.postMessage({ jsonrpc: '2.0', method }),
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
        answered = ({ id = 0, error, result }) => {
          if (!waiting.delete(id)) return reject(new Error(`no request has the id ${id}`))
          if (result === undefined) return reject(new Error(JSON.stringify(error)))
          last = result
          pump()
        }
        pump()
      }),
  }
  return client
}
