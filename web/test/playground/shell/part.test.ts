// The playground is left while its parts load, which end with the document: that is no error.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { part } from '../../../playground/base/part.ts'

test('a part that is missing is an error of a document that stays', async () => {
  const window = new EventTarget()
  Object.assign(globalThis, {
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  })
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const failure = assert.rejects(part(Promise.reject(new TypeError('missing'))), /missing/)
    await Promise.resolve()
    mock.timers.tick(1000)
    await failure

    let fail: (error: Error) => void = () => {}
    let failed = false
    const late = part(new Promise((_, reject) => (fail = reject))).catch(() => (failed = true))
    window.dispatchEvent(new Event('beforeunload')) // the next document takes its time
    fail(new Error('ended'))
    for (let i = 0; i < 5; i++) await Promise.resolve()
    mock.timers.tick(59_999)
    for (let i = 0; i < 5; i++) await Promise.resolve()
    assert.equal(failed, false)
    mock.timers.tick(1) // the document has stayed
    await late
  } finally {
    mock.timers.reset()
  }
})
