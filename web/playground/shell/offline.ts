/** Has the playground kept for when there is no network: registers sw.ts, and asks it for a copy. */

/** What Trusted Types let through: the URL of that one script, which lies beside the page. */
interface Policy {
  createScriptURL(url: string): string
}

interface TrustedTypes {
  createPolicy(name: string, rules: Policy): Policy
}

/** Does nothing where there are no service workers, as in private windows of some browsers. */
export async function keepForOffline(): Promise<void> {
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
    // then it works as long as there is a network
  }
}
