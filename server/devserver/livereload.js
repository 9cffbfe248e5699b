// Reloads the page when the server has built anew: only after the server has proved that it is the one that
// served this page. Another program may have taken its port in the meantime.
;(() => {
  const publicKey = '$PUBLIC_KEY' // ECDSA P-256, SubjectPublicKeyInfo, base64
  const known = 'pagemcp.web' // in localStorage: the key of the server that this origin had last

  const bytes = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0))

  async function isProven() {
    const nonce = Array.from(crypto.getRandomValues(new Uint8Array(32)), (one) => one.toString(16).padStart(2, '0')).join('')
    try {
      const answer = await fetch(`/live/proof?nonce=${nonce}`, { cache: 'no-store' })
      const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
      const key = await crypto.subtle.importKey('spki', bytes(publicKey), algorithm, false, ['verify'])
      const signed = new TextEncoder().encode(`pagemcp/1 web\n${location.host}\n${nonce}`)
      return answer.ok && (await crypto.subtle.verify(algorithm, key, bytes(await answer.text()), signed))
    } catch {
      return false
    }
  }

  const retryAfter = 1000 // ms

  let version = new URL(document.currentScript.src).search.slice(1) // that the page was served with
  const link = /[#&]pagemcp=/.test(location.hash) ? location.href : '' // with the invitation of a gateway, good once
  /** For a page that has just begun: it has taken the invitation out of the address, and may not have used it yet. */
  function reload() {
    if (link !== '') history.replaceState(history.state, '', link) // whole: a fragment would be relative to <base>
    location.reload()
  }

  let isStarting = true
  async function take(data) {
    const before = version
    const isFirst = isStarting
    version = document.documentElement.dataset.version = data
    isStarting = false
    if (before === data || before === '' || (isFirst && wasReason(`${before} ${data}`))) return
    if (await isProven()) {
      if (isFirst) reload()
      else location.reload()
      return
    }
    stop()
    console.error(`The program that answers at ${location.host} is not the server that sent this page: it is not reloaded. Close the tab, and open the link that pagemcp dev prints.`)
  }

  /** Whether this change was a reason to reload a moment ago: then a Service Worker serves the old page again. */
  function wasReason(change) {
    const key = 'pagemcp.reloaded' // in sessionStorage
    try {
      const [last, at] = JSON.parse(sessionStorage.getItem(key) ?? '[]')
      sessionStorage.setItem(key, JSON.stringify([change, Date.now()]))
      return last === change && Date.now() - at < 10_000
    } catch {
      return true // no storage: an endless loop could not be noticed
    }
  }

  /** Settles when the connection has ended. */
  function receive(signal) {
    return new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/live`)
      socket.onmessage = ({ data }) => signal.aborted || take(data)
      socket.onclose = resolve
      signal.addEventListener('abort', () => socket.close())
    })
  }

  async function listen(signal) {
    while (!signal.aborted) {
      try {
        // After failures Firefox delays WebSockets for up to a minute, but not requests.
        const answer = await fetch('/live', { cache: 'no-store', signal })
        if (answer.ok) await take(await answer.text())
        if (!signal.aborted) await receive(signal)
      } catch {
        // the server is away
      }
      await new Promise((resolve) => setTimeout(resolve, retryAfter))
    }
  }

  let stop = () => {}
  function start() {
    const end = new AbortController()
    stop = () => end.abort()
    listen(end.signal)
  }
  start()
  addEventListener('pagehide', () => stop())
  addEventListener('pageshow', ({ persisted }) => persisted && start()) // from the back/forward cache

  // Another server of this address, such as one with another state directory, had keys and Service Workers of its own.
  try {
    const last = localStorage.getItem(known)
    localStorage.setItem(known, publicKey)
    if (last !== null && last !== publicKey) {
      fetch('/live/clear', { cache: 'no-store' }).then(reload)
    }
  } catch {
    // no storage: then there is nothing to clear
  }
})()
