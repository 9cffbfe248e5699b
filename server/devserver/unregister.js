// There is no Service Worker at this address: one that is asked for belongs to another program that had the port.
// It ends here, and its pages are loaded again.
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(end()))

async function end() {
  await registration.unregister()
  for (const client of await clients.matchAll({ type: 'window' })) await client.navigate(client.url)
}
