/** What an app may load and use: the policy of its document, and the features of its frame. */

import { isObject } from '../protocol/revisions.ts'

/** Meta-data of a `ui://` resource, from the server: all of it is untrusted. */
export interface AppNeeds {
  /** Origins that it connects to or loads from, as it declares them; others are dropped. */
  origins: readonly string[]
  /** Features of the browser: `camera`, `microphone`, `geolocation`, `clipboard-write`. */
  features: readonly string[]
  policy: string
}

/** An origin or wildcard origin, encrypted or on this machine. Nothing that would begin another directive. */
const origin =
  /^(?:(?:https|wss):\/\/(?:\*\.)?[a-z\d-]+(?:\.[a-z\d-]+)*|(?:https?|wss?):\/\/(?:localhost|127\.0\.0\.1))(?::\d{1,5})?$/i

const maxOrigins = 32 // of each kind

const origins = (some: unknown): string[] =>
  Array.isArray(some)
    ? some
        .filter((one): one is string => typeof one === 'string' && origin.test(one))
        .slice(0, maxOrigins)
    : []

const features: { readonly [name: string]: string } = {
  camera: 'camera',
  microphone: 'microphone',
  geolocation: 'geolocation',
  clipboardWrite: 'clipboard-write',
}

/**
 * Reads `_meta.ui` of a resource. `frameDomains` and `baseUriDomains` are never granted.
 *
 * @see MCP Apps 2026-01-26, "UI Resource Format" and "Sandbox proxy"
 */
export function needsOf(meta: unknown): AppNeeds {
  const ui = isObject(meta) && isObject(meta.ui) ? meta.ui : {}
  const csp = isObject(ui.csp) ? ui.csp : {}
  const wanted = isObject(ui.permissions) ? ui.permissions : {}
  const connect = origins(csp.connectDomains)
  const load = origins(csp.resourceDomains)
  const from = (...more: string[]) => [...more, ...load].join(' ')
  return {
    origins: [...new Set([...connect, ...load])],
    features: Object.keys(features)
      .filter((name) => isObject(wanted[name]))
      .map((name) => features[name] as string),
    policy: [
      "default-src 'none'",
      `script-src ${from("'unsafe-inline'", 'blob:')}`,
      `style-src ${from("'unsafe-inline'")}`,
      `img-src ${from('data:', 'blob:')}`,
      `media-src ${from('data:', 'blob:')}`,
      `font-src ${from('data:')}`,
      `connect-src ${connect.join(' ') || "'none'"}`,
      'worker-src blob:',
      "webrtc 'block'", // of CSP Level 3; a browser without it ignores it, and connect-src does not concern WebRTC
      "base-uri 'none'",
      "form-action 'none'",
    ].join('; '),
  }
}

/** The app's document, with its policy before all that the server wrote. */
export const withPolicy = (html: string, { policy }: AppNeeds): string =>
  `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}">${html}`
