// The invitation is taken out of the address while the module loads, and nothing there can keep the app from loading.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const invitation = { url: 'ws://127.0.0.1:8808/page', id: 'id', secret: 'secret' }
const text = Buffer.from(JSON.stringify(invitation)).toString('base64url')

/** Loads the module in a document with an address; `replaced`: where it then is, as browsers decide. */
async function loadAt(href: string, throws = false) {
  let replaced = href
  const history = {
    state: null,
    replaceState(_: unknown, __: string, to: string | URL) {
      const next = new URL(to, href)
      if (throws || next.origin !== new URL(href).origin)
        throw new DOMException('', 'SecurityError')
      replaced = next.href
    },
  }
  Object.assign(globalThis, { location: new URL(href), history })
  const path: string = `../../src/connector.ts?${encodeURIComponent(href)}${throws}`
  const { documentInvitation } = (await import(path)) as typeof import('../../src/connector.ts')
  return { replaced, found: documentInvitation }
}

const table: [name: string, before: string, after: string][] = [
  ['alone', `https://app.example/#pagemcp=${text}`, 'https://app.example/'],
  ['a path of two slashes', `https://app.example//#pagemcp=${text}`, 'https://app.example//'],
  [
    'a path that names a host',
    `https://app.example//other.example/x?q#a&pagemcp=${text}&b`,
    'https://app.example//other.example/x?q#a&b',
  ],
]
for (const [name, before, after] of table) {
  test(`the invitation leaves the address: ${name}`, async () => {
    const { replaced, found } = await loadAt(before)
    assert.equal(replaced, after)
    assert.deepEqual(found, invitation)
  })
}

test('an address that cannot be changed does not keep the app from loading', async () => {
  const { found } = await loadAt(`https://app.example/#pagemcp=${text}`, true)
  assert.deepEqual(found, invitation)
})
