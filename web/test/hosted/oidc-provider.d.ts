/** The parts of modules without types that tests use. */

declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  export class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
  }
}

declare module '*/issuers/oidc-provider.mjs' {
  export function pagemcp(mcp: string): { features: object }
}
