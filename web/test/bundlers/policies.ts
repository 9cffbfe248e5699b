/** The Content-Security-Policies of web/docs/guide.md; `ws://127.0.0.1:8808` of the gateway comes in addition. */

/** Directives that allow the policy of the package alone. */
export const trustedTypes = "require-trusted-types-for 'script'; trusted-types pagemcp"

/** The files have the origin of the page: all bundlers. */
export const ownOrigin =
  "script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'"

/** The bundler writes worker.js and engine.wasm into the scripts as data: URLs. */
export const inlined =
  "script-src 'self' 'wasm-unsafe-eval'; worker-src blob: data:; connect-src data:"

/** The files have another origin, such as that of a CDN. */
export const otherOrigin = (origin: string) =>
  `script-src 'self' ${origin} 'wasm-unsafe-eval'; worker-src blob: ${origin}; connect-src ${origin}`

/** The headers of a page that allows nothing else. */
export const strict = (directives: string) => ({
  'content-security-policy': `default-src 'none'; img-src data:; ${directives}`,
})
