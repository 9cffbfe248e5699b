/** What users paste as a gateway's link. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { webSocket } from '../../src/connector.ts'

const given = { url: 'ws://127.0.0.1:8808/page', id: 'one', secret: 'c2VjcmV0' }
const end = Buffer.from(JSON.stringify(given)).toString('base64url')
const dial = { url: given.url, secret: { id: given.id, secret: given.secret } }

test('a link is taken, or its end, with blanks around', () => {
  for (const text of [
    `http://127.0.0.1:8809/#pagemcp=${end}`,
    `http://127.0.0.1:8809/demo/notes/?a=1#at&pagemcp=${end}`,
    `  http://127.0.0.1:8809/#pagemcp=${end}\n`,
    `#pagemcp=${end}`,
    `pagemcp=${end}`,
    end,
  ]) {
    assert.deepEqual(webSocket(undefined, { invitation: text }).dial, dial, text)
  }
  assert.deepEqual(webSocket(given.url, { invitation: end }).dial, dial)
})

test('what is no link of that gateway is refused, and not repeated', () => {
  const other = Buffer.from('{"url":"https://127.0.0.1/","id":"a","secret":"b"}').toString(
    'base64url',
  )
  for (const text of [
    '',
    'hello',
    'https://example.com/',
    '#pagemcp=',
    `${end}!`,
    `${end} ${end}`,
    other,
  ]) {
    const asked = () => webSocket(undefined, { invitation: text })
    assert.throws(asked, { name: 'TypeError', message: 'this is no link of a gateway' }, text)
  }
  const elsewhere = () => webSocket('ws://127.0.0.1:1/page', { invitation: end })
  assert.throws(elsewhere, { name: 'TypeError', message: 'this is the link of another gateway' })
})

test('without an invitation there is the key of the gateway joined last', () => {
  assert.deepEqual(webSocket().dial, {})
  assert.deepEqual(webSocket(given.url).dial, { url: given.url })
})
