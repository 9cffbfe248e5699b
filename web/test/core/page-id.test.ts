// The id by which a gateway knows a page again: a busy browser may answer late whether another document has it.

import assert from 'node:assert/strict'
import { test } from 'node:test'

test('an id that no other document has is kept, however late the browser says so', async () => {
  const stored = new Map([['pagemcp.page', 'known']])
  Object.defineProperty(globalThis, 'sessionStorage', {
    value: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  })
  // Grants a lock after every limit that the request has.
  const request = ({ signal }: LockOptions, hold: (lock: unknown) => unknown) =>
    new Promise((resolve, reject) => {
      if (signal === undefined) resolve(hold({}))
      else signal.addEventListener('abort', () => reject(signal.reason))
    })
  Object.defineProperty(navigator, 'locks', {
    value: {
      request: (_: string, options: LockOptions, hold: () => unknown) => request(options, hold),
    },
  })
  const { pageId } = await import('../../src/page-id.ts')
  const user = new AbortController()
  assert.equal(await pageId(user.signal), 'known')
  user.abort()
})
