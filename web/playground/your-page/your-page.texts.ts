export const en = {
  title: 'Try your page',
  snippet: 'Code for your page',
  gateway: 'Gateway',
  watch: 'Watch',
  notAllowed:
    'The gateway does not allow {origin}, but: {other}. Scheme, host and port must match.',
  notJoined:
    'Open the link that the gateway prints for {origin}. A Content-Security-Policy needs connect-src ws://127.0.0.1:8808.',
  steps: {
    loaded: 'The page loads',
    joined: 'It joined the gateway',
    resource: 'A resource was listed',
    read: 'The resource was read',
    change: 'A change was announced',
  },
  no: {
    gateway: 'Start the gateway with this command, and open its link.',
    resource: 'Connect to the page. An empty list needs `mcp.resource` or `mcp.mount`.',
    read: 'Read a resource.',
    change: 'Change the resource: `set` or `mcp.changed` announces it.',
  },
} as const

declare module '../locale/texts.ts' {
  interface English {
    yourPage: typeof en
  }
}
