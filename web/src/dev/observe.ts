/** Hooks into a page under development: what it logs, and its requests. */

import { redactUrl } from '../redact.ts'

/** The functions of the console that are seen. */
const levels = ['debug', 'log', 'info', 'warn', 'error'] as const
export type Level = (typeof levels)[number]

/** Calls `note` with each line of the console, before it is written. */
export function observeConsole(note: (level: Level, args: readonly unknown[]) => void): void {
  const { console } = globalThis
  for (const level of levels) {
    const original = console[level]
    console[level] = (...args: unknown[]) => {
      try {
        note(level, args)
      } catch {} // a hostile object: the app logs all the same
      Reflect.apply(original, console, args)
    }
  }
}

/** A request that failed, or took long. No body, no header. */
export interface RequestEntry {
  /** When it was sent, ISO 8601. */
  time: string
  method: string
  /** Without secrets; a path if it is of this origin. */
  url: string
  /** Of HTTP; 0: no response. */
  status: number
  /** Until the headers of the response. */
  ms: number
}

/** From which time on a request is slow. */
const slow = 1_000 // ms
const maxUrl = 500 // UTF-16 code units

/** Calls `note` with each request of `fetch` and XMLHttpRequest that failed or was slow. Those that the page aborts are neither. */
export function observeRequests(note: (entry: RequestEntry) => void): void {
  const starts = (method: string, url: string | URL) => {
    const began = Date.now()
    return (status: number) => {
      const ms = Date.now() - began
      if (status >= 200 && status < 400 && ms < slow) return
      const time = new Date(began).toISOString()
      note({ time, method: method.toUpperCase(), url: shortUrl(String(url)), status, ms })
    }
  }

  const { fetch } = globalThis
  globalThis.fetch = (input, init) => {
    const request = input instanceof Request ? input : undefined
    const ends = starts(
      String(init?.method ?? request?.method ?? 'GET'),
      request?.url ?? String(input),
    )
    // What it returns is what the app handles, or leaves unhandled.
    return fetch(input, init).then(
      (response) => {
        ends(response.type.startsWith('opaque') ? 200 : response.status) // those of other origins do not say
        return response
      },
      (error) => {
        if (error?.name !== 'AbortError') ends(0)
        throw error
      },
    )
  }

  const { prototype } = XMLHttpRequest
  const { open, send } = prototype
  const opened = new WeakMap<XMLHttpRequest, readonly [method: string, url: string]>()
  prototype.open = function (this: XMLHttpRequest, ...args: unknown[]) {
    opened.set(this, [String(args[0]), String(args[1])])
    return Reflect.apply(open, this, args)
  }
  prototype.send = function (this: XMLHttpRequest, body) {
    const ends = starts(...(opened.get(this) ?? ['', '']))
    for (const type of ['load', 'error', 'timeout']) {
      this.addEventListener(type, () => ends(this.status), { once: true })
    }
    return Reflect.apply(send, this, [body])
  }
}

function shortUrl(url: string): string {
  const whole = URL.canParse(url, location.href) ? new URL(url, location.href).href : url
  const clean = redactUrl(whole.replace(`${location.origin}/`, '/'))
  return clean.length > maxUrl ? `${clean.slice(0, maxUrl)}…` : clean
}
