// Joining a hosted gateway with tokens of the app: what the page sends, when it asks for a token, and how it treats
// each close, each lost connection and each value that a gateway may send.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConnectOptions, pair, webSocket } from '../../src/connector.ts'
import { fetchToken, requestedWait, termsOf } from '../../src/credentials.ts'
import { address, hello, settled, tokenPage } from './token-page.ts'

const token = () => 'token'

test('a token without an address is a TypeError whatever else there is', () => {
  for (const options of [{ token }, { token, gateways: [address] }] as ConnectOptions[])
    assert.throws(() => webSocket(options), TypeError)
})

test('a page with a token is not paired', async () => {
  await assert.rejects(pair(address, { token }), { name: 'TypeError', message: /not paired/ })
})

test('an invitation is ignored if there is a token', () => {
  const json = JSON.stringify({ url: 'ws://127.0.0.1:1/page', id: 'id', secret: 'secret' })
  const invitation = `#pagemcp=${Buffer.from(json).toString('base64url')}`
  const { dial, ignored } = webSocket(address, { token, invitation })
  assert.deepEqual([dial, ignored], [{ gateways: [address], hasToken: true }, undefined])
})

const results: { [what: string]: [call: () => unknown, error: string | undefined] } = {
  'a string': [() => 'a.b.c', undefined],
  'a promise of one': [async () => 'a.b.c', undefined],
  '8 KiB': [() => 'x'.repeat(8192), undefined],
  'one byte more': [() => 'x'.repeat(8193), 'string of 8193 bytes'],
  '8 KiB of characters that are more bytes': [() => 'ü'.repeat(8192), 'string of 16384 bytes'],
  'an empty string': [() => '', 'string of 0 bytes'],
  nothing: [() => undefined, 'undefined of 0 bytes'],
  'a response': [async () => ({ ok: true }), 'object of 0 bytes'],
}
for (const [what, [call, error]] of Object.entries(results)) {
  test(`the function for tokens may return ${what}: ${error === undefined}`, async () => {
    const fetched = fetchToken(call)
    if (error === undefined) assert.equal(await fetched, await call())
    else {
      const message = `the function for a token of this page failed: it returned ${error}, not a string of 1 to 8192 bytes`
      await assert.rejects(fetched, { message })
    }
  })
}

const usual = { ping: 15_000, refresh: 3_000_000, spread: 1_500 }
const terms: [what: string, sent: object, read: object][] = [
  ['usual values', { ping: 15, refresh: 3000, spread: 1500 }, usual],
  ['no values', {}, usual],
  ['values of other types', { ping: '15', refresh: null, spread: [9] }, usual],
  ['zero', { ping: 0, refresh: 0, spread: 0 }, { ping: 1_000, refresh: 5_000, spread: 200 }],
  [
    'fractions',
    { ping: 5.5, refresh: 30.5, spread: 0.5 },
    { ping: 5_500, refresh: 30_500, spread: 200 },
  ],
  [
    'far too much',
    { ping: 1e300, refresh: 1e300, spread: 1e300 },
    { ping: 120_000, refresh: 86_400_000, spread: 60_000 },
  ],
]
for (const [what, sent, read] of terms) {
  test(`what the gateway wants is kept within bounds: ${what}`, () => {
    assert.deepEqual(termsOf(sent), read)
  })
}

const waits: [reason: string, ms: number][] = [
  ['0', 0],
  ['1', 1],
  ['20000', 20_000],
  ['300000', 300_000],
  ['300001', 300_000],
  ['9'.repeat(123), 300_000],
  ['', 5_000],
  ['-1', 5_000],
  ['1.5', 5_000],
  ['1e3', 5_000],
  [' 1000', 5_000],
  ['soon', 5_000],
  ['١٢', 5_000], // Arabic digits
]
for (const [reason, ms] of waits) {
  test(`a close for the reason "${reason.slice(0, 10)}" is a wait of at most ${ms} ms`, () => {
    assert.equal(requestedWait(reason), ms)
  })
}

test('a page joins with a token and its hello, and serves', async (t) => {
  const page = await tokenPage(t)
  const shown = `pagemcp.token.${Buffer.from('token-1').toString('base64url')}`
  assert.deepEqual([page.last.url, page.last.protocols], [address, ['pagemcp.v1', shown]])
  const socket = await page.join()
  assert.deepEqual(socket.frames, [{ pagemcp: 1, hello, sequences: true }])
  assert.equal(await page.connection.joined, 'notes-k7qd2m')
  assert.deepEqual(page.state, { url: address, is: 'joined', name: 'notes-k7qd2m' })
  socket.say('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  assert.deepEqual(page.got, ['{"jsonrpc":"2.0","id":1,"method":"ping"}'])
  page.channel?.send('{"jsonrpc":"2.0","id":1,"result":{}}')
  assert.deepEqual(socket.frames.slice(1), [{ jsonrpc: '2.0', id: 1, result: {} }])
})

test('a gateway whose pages come all at once may take 15 s until it answers', async (t) => {
  const page = await tokenPage(t)
  await page.pass(15_000)
  assert.equal(page.dials.length, 1)
  await page.join()
  assert.equal(page.state?.is, 'joined')
})

test('the first message fits into 16 KiB whatever title and address the page has', async (t) => {
  const described = {
    ...hello,
    title: '\u{1f600}\ud83d'.repeat(9999),
    url: `https://app.example/${'x'.repeat(30_000)}`,
  }
  const page = await tokenPage(t, { described })
  const [first = ''] = (await page.join()).sent
  assert.ok(Buffer.byteLength(first) < 16_384 - 8192)
  assert.ok(first.isWellFormed() && !first.includes('\\ud83d'), 'no lone surrogate')
})

test('a further token is sent at 80 % of `refresh`, on the same socket', async (t) => {
  const page = await tokenPage(t)
  const socket = await page.join({ refresh: 100, ping: 15 })
  const pings = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 10) {
      socket.say('{"jsonrpc":"2.0","id":"p","method":"ping"}')
      await page.pass(10_000)
    }
  }
  await pings(70)
  assert.equal(page.tokens.calls, 1)
  await pings(20)
  assert.deepEqual(socket.sent.slice(1), ['{"pagemcp":1,"token":"token-2"}'])
  await pings(300)
  assert.equal(page.tokens.calls, 5)
  assert.deepEqual(socket.frames.at(-1), { pagemcp: 1, token: 'token-5' })
  assert.equal(page.dials.length, 1)
  assert.deepEqual(
    page.states.map(({ is }) => is),
    ['connecting', 'joined'],
  )
})

test('a refresh that fails is tried again, and the connection stays until the gateway closes it', async (t) => {
  const page = await tokenPage(t)
  const socket = await page.join({ refresh: 3000, ping: 120 })
  page.tokens.next = () => Promise.reject(new Error('signed out'))
  await page.pass(300_000)
  socket.say('{}')
  for (let i = 0; i < 7; i++) {
    await page.pass(299_990)
    socket.say('{}')
  }
  assert.equal(page.tokens.calls, 1)
  await page.pass(60_000) // past 2,400 s
  assert.equal(page.tokens.calls, 5, 'at once, then every 15 s')
  assert.equal(page.state?.is, 'joined')
  socket.end(4410)
  await page.pass(20)
  assert.equal(page.state?.is, 'away')
  assert.match(
    page.state?.error ?? '',
    /^the function for a token of this page failed: signed out$/,
  )
  page.tokens.next = () => 'good'
  await page.pass(2000)
  await page.join()
  assert.equal(page.last.token, 'good')
  assert.equal(page.state?.is, 'joined')
})

test('after three pings without a message the connection counts as dead, by a timer alone', async (t) => {
  const page = await tokenPage(t)
  const socket = await page.join({ ping: 20, spread: 2000 })
  await page.pass(59_000)
  assert.equal(page.state?.is, 'joined')
  socket.say('{}')
  await page.pass(59_000)
  assert.equal(page.state?.is, 'joined', 'each message counts')
  await page.pass(3000)
  assert.deepEqual(page.states.at(-1), { url: address, is: 'away', error: 'no message for 60 s' })
  assert.equal(socket.closedWith, 'none')
  await page.pass(2000)
  assert.equal(page.dials.length, 2)
})

test('after sleep of the machine a dead connection is found within a ping', async (t) => {
  const page = await tokenPage(t)
  await page.join({ ping: 15 })
  await page.pass(1000)
  page.sleep(3_600_000)
  await page.pass(16_500)
  assert.equal(page.state?.is, 'away')
})

test('messages that come within a second after sleep keep the connection', async (t) => {
  const page = await tokenPage(t)
  const socket = await page.join({ ping: 15 })
  await page.pass(14_900)
  page.sleep(3_600_000)
  await page.pass(200) // the timer comes first
  socket.say('{}')
  await page.pass(40_000)
  assert.equal(page.state?.is, 'joined')
  assert.equal(page.dials.length, 1)
})

test('a wake finds a dead connection at once', async (t) => {
  const page = await tokenPage(t)
  await page.join({ ping: 20 })
  page.sleep(59_000)
  page.connection.wake()
  assert.equal(page.state?.is, 'joined')
  page.sleep(2_000)
  page.connection.wake()
  assert.equal(page.state?.error, 'no message for 60 s')
})

for (const [random, spread, at] of [
  [0, 1500, 200],
  [0.999, 20_000, 19_980],
  [0.5, 1e9, 30_100],
] as const) {
  test(`the first attempt after a loss comes at ${at} ms: random ${random}, spread ${spread}`, async (t) => {
    const page = await tokenPage(t, { random })
    const socket = await page.join({ spread, ping: 120 })
    await page.pass(40_000)
    socket.end(1006)
    await page.pass(at - 60)
    assert.equal(page.dials.length, 1)
    assert.equal(page.tokens.calls, 1)
    await page.pass(120)
    assert.equal(page.dials.length, 2)
    assert.equal(page.tokens.calls, 2, 'a fresh token for each attempt')
  })
}

test('a wake after the time that the gateway wanted dials at once', async (t) => {
  const page = await tokenPage(t, { random: 0.5 })
  const socket = await page.join()
  socket.end(4412, '20000')
  await settled()
  page.sleep(20_000)
  page.connection.wake()
  await settled()
  assert.equal(page.dials.length, 2)
})

test('4403 at the first attempt: connect rejects with refused, and no token is fetched again', async (t) => {
  const page = await tokenPage(t)
  page.last.open()
  page.last.end(4403, 'refused')
  await assert.rejects(page.connection.joined, { name: 'JoinError', reason: 'refused' })
  assert.equal(page.state?.is, 'refused')
  await page.pass(60_000)
  page.connection.wake()
  await settled()
  assert.deepEqual([page.dials.length, page.tokens.calls], [1, 1])
})

test('4403 later: every 15 s with a fresh token', async (t) => {
  const page = await tokenPage(t, { random: 0.5 })
  await page.join()
  for (let n = 1; n <= 3; n++) {
    page.last.open()
    page.last.end(4403)
    await settled()
    assert.equal(page.state?.is, 'refused')
    await page.pass(14_900)
    assert.deepEqual([page.dials.length, page.tokens.calls], [n, n])
    await page.pass(200)
    assert.deepEqual([page.dials.length, page.tokens.calls], [n + 1, n + 1])
  }
  await page.join()
  assert.equal(page.last.token, 'token-4')
  assert.equal(page.state?.is, 'joined')
})

test('4410: a token and an attempt at once, the second time in a row with back-off', async (t) => {
  const page = await tokenPage(t, { random: 0.5 })
  const socket = await page.join({ ping: 120, spread: 500 })
  await page.pass(60_000)
  socket.end(4410)
  await settled()
  assert.deepEqual(page.state, {
    url: address,
    is: 'away',
    error: 'the token of this page has expired',
  })
  await page.pass(10)
  assert.deepEqual([page.dials.length, page.tokens.calls], [2, 2])
  page.last.open()
  page.last.end(4410)
  await page.pass(300)
  assert.equal(page.dials.length, 2)
  await page.pass(200)
  assert.deepEqual([page.dials.length, page.tokens.calls], [3, 3])
  await page.join({ ping: 120 })
  await page.pass(60_000)
  page.last.end(4410)
  await page.pass(10)
  assert.equal(page.dials.length, 4, 'the next one is a first one again')
})

test('a gateway that takes the page and closes at once does not make it dial in a loop', async (t) => {
  for (const code of [4410, 1006, 1000, 4409, 4412]) {
    await t.test(String(code), async (t) => {
      const page = await tokenPage(t, { random: 0 })
      for (let at = 0; at < 600_000; at += 500) {
        if (page.last.readyState !== 3) {
          await page.join({ ping: 0, refresh: 0, spread: 0 })
          page.last.end(code, '0')
        }
        await page.pass(500, 100)
      }
      // At most every 1.5 s for five minutes, then every 11 s.
      assert.ok(page.dials.length < 240, `${page.dials.length} attempts in ten minutes`)
      assert.ok(page.dials.length > 20, `${page.dials.length} attempts in ten minutes`)
      assert.equal(page.tokens.calls, page.dials.length)
    })
  }
})

test('4409: the page takes a fresh id', async (t) => {
  const page = await tokenPage(t)
  await page.join()
  page.last.end(4409, 'replaced')
  await page.pass(2000)
  const socket = await page.join()
  const [first] = socket.frames as { hello: { page: string } }[]
  assert.equal(first?.hello.page, 'page-2')
})

const answers = [
  '{',
  '[]',
  'null',
  '{"joined":""}',
  '{"gateway":"a","nonce":"b","proof":"c"}',
  `{"joined":"${'a'.repeat(20_000)}"}`,
]
for (const answer of answers) {
  test(`an answer that is none is not accepted: ${answer.slice(0, 30)}`, async (t) => {
    const page = await tokenPage(t, { random: 0.5 })
    await page.join()
    page.last.end(1006)
    await page.pass(2000)
    page.last.open()
    page.last.say(answer)
    await settled()
    assert.equal(page.last.closedWith, 4400)
    assert.equal(page.state?.is, 'away')
    await page.pass(14_900)
    assert.equal(page.dials.length, 2)
    await page.pass(200)
    assert.equal(page.dials.length, 3)
  })

  test(`before the page has joined, it gives up: ${answer.slice(0, 30)}`, async (t) => {
    const page = await tokenPage(t)
    page.last.open()
    page.last.say(answer)
    await assert.rejects(page.connection.joined, { name: 'JoinError', reason: 'unsupported' })
  })
}

test('a function for tokens that rejects or hangs is called again, ever more rarely', async (t) => {
  const page = await tokenPage(t, { random: 0.5 })
  await page.join()
  page.tokens.next = () => Promise.reject(new Error('signed out'))
  page.last.end(1006)
  await page.pass(60_000)
  const first = page.tokens.calls
  assert.ok(first > 25 && first < 45, `${first} calls in a minute`)
  assert.equal(page.dials.length, 1)
  assert.deepEqual(page.state, {
    url: address,
    is: 'away',
    error: 'the function for a token of this page failed: signed out',
  })
  await page.pass(300_000)
  const before = page.tokens.calls
  await page.pass(60_000)
  assert.equal(page.tokens.calls - before, 4, 'every 15 s after five minutes')
  page.tokens.next = () => new Promise(() => {})
  await page.pass(46_000)
  assert.equal(
    page.state?.error,
    'the function for a token of this page failed: it took more than 30 s',
  )
  page.tokens.next = () => 'good'
  while (page.dials.length === 1) await page.pass(1000)
  await page.join()
  assert.equal(page.state?.is, 'joined')
})

test('after close no token is fetched, and one that comes then is not sent', async (t) => {
  const page = await tokenPage(t)
  const socket = await page.join({ refresh: 30, ping: 15 })
  let give: (token: string) => void = () => {}
  page.tokens.next = () =>
    new Promise((resolve) => {
      give = resolve
    })
  await page.pass(25_000)
  assert.equal(page.tokens.calls, 2)
  page.connection.close()
  assert.equal(socket.closedWith, 1000)
  assert.equal(page.state?.is, 'closed')
  give('late')
  page.connection.wake()
  await page.pass(600_000)
  assert.deepEqual([page.tokens.calls, page.dials.length, socket.sent.length], [2, 1, 1])
})
