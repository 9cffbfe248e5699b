// Reloads the page when the server has built anew.
;(() => {
  const retryAfter = 1000 // ms

  let version = new URL(document.currentScript.src).search.slice(1) // that the page was served with
  const link = /[#&]pagemcp=/.test(location.hash) ? location.href : '' // with the invitation of a gateway, good once
  /** For a page that has just begun: it has taken the invitation out of the address, and may not have used it yet. */
  function reload() {
    if (link !== '') history.replaceState(history.state, '', link) // whole: a fragment would be relative to <base>
    location.reload()
  }

  let isStarting = true
  function take(data) {
    const before = version
    const isFirst = isStarting
    version = document.documentElement.dataset.version = data
    isStarting = false
    if (before === data || before === '' || (isFirst && wasReason(`${before} ${data}`))) return
    if (isFirst) reload()
    else location.reload()
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
        if (answer.ok) take(await answer.text())
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
})()
