/**
 * Applies the colour theme before the first paint: that of the playground on the same origin, else that of the
 * system. A classic script, since modules run after the first paint.
 */

try {
  const stored: unknown = JSON.parse(localStorage.getItem('pagemcp.playground.theme') ?? '""')
  if (stored === 'light' || stored === 'dark') document.documentElement.dataset.theme = stored
} catch {
  // no storage, or not JSON: the theme of the system
}

export {}
