/** Registers the service worker (sw.ts), which keeps the playground for offline use. */

/** Trusted Types allow only the URL of that script. */
interface Policy {
  createScriptURL(url: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy
}

/** Does nothing without service workers, as in private windows of some browsers. */
export async function registerServiceWorker(): Promise<void> {
  const { serviceWorker } = navigator
  if (serviceWorker === undefined) return
  const script = new URL('sw.js', document.baseURI).href
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes }
  const policy = trustedTypes?.createPolicy('pagemcp-offline', {
    createScriptURL(url) {
      if (url !== script) throw new TypeError('not the service worker of the playground')
      return url
    },
  })
  try {
    await serviceWorker.register(policy?.createScriptURL(script) ?? script)
    const { active } = await serviceWorker.ready
    active?.postMessage('keep')
  } catch {
    // without the copy, the playground needs the network
  }
}
