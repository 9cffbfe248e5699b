/** What users paste as a gateway's link. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayOf, webSocket } from '../../src/connector.ts'

const given = { url: 'ws://127.0.0.1:8808/page', id: 'one', secret: 'c2VjcmV0' }
const end = Buffer.from(JSON.stringify(given)).toString('base64url')
const dial = { gateways: [given.url], invitation: given, isChosen: true }

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
    assert.throws(asked, { name: 'TypeError', message: 'this is not a link of a gateway' }, text)
  }
  const elsewhere = () => webSocket('ws://127.0.0.1:1/page', { invitation: end })
  assert.throws(elsewhere, { name: 'TypeError', message: /^this is the link of another gateway/ })
})

test('without an invitation there are the gateways that the app names', () => {
  assert.deepEqual(webSocket().dial, { gateways: [given.url] })
  assert.deepEqual(webSocket('ws://127.0.0.1:1/page').dial, { gateways: ['ws://127.0.0.1:1/page'] })
})

test('the address of a link can be shown to the user before it is used', () => {
  assert.equal(gatewayOf(`http://127.0.0.1:8809/#pagemcp=${end}`), given.url)
  assert.equal(gatewayOf('hello'), undefined)
  const far = { ...given, url: 'ws://evil.example/page' }
  assert.equal(gatewayOf(Buffer.from(JSON.stringify(far)).toString('base64url')), undefined)
})
