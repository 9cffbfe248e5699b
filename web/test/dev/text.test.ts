// What a page under development shows of its logs and stores: tables, without a browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorText, logText, plainOf, redactLog } from '../../src/dev/text.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'

const circular: Record<string, unknown> = { name: 'a' }
circular.self = circular

const lines: [args: unknown[], wanted: string][] = [
  [['plain'], 'plain'],
  [['count', 3, true, null, undefined], 'count 3 true null undefined'],
  [[{ a: [1, { b: 'x' }] }], '{"a":[1,{"b":"x"}]}'],
  [[circular], '{"name":"a","self":"[circular]"}'],
  [[new Map([['a', 1]]), new Set(['b'])], '[["a",1]] ["b"]'],
  [[new TypeError('no', { cause: new Error('why') })], 'TypeError: no; cause: Error: why'],
  [[Number.NaN, 10n, Symbol('s'), function named() {}], 'NaN 10 Symbol(s) [function named]'],
  [[new Date(0)], '1970-01-01T00:00:00.000Z'],
  [[{ a: { b: { c: { d: 1 } } } }], '{"a":{"b":{"c":"[Object]"}}}'],
  [['%s has %d of %o', 'Ann', 2, { x: 1 }, 'more'], 'Ann has 2 of {"x":1} more'],
  [['%cred', 'color: red', 'tail'], 'red tail'],
  [['100%', '%s'], '100% %s'],
  // secrets
  [['token', 'abc'], 'token redacted'],
  [['Password:', 'hunter2'], 'Password: redacted'],
  [['user', 'ann'], 'user ann'],
  [
    [{ user: 'ann', password: 'hunter2', pin: 1234, maxTokens: 9 }],
    '{"user":"ann","password":"redacted","pin":"redacted","maxTokens":9}',
  ],
  [
    [{ tokens: { access: 'a' }, code: 'E1', key: 'k' }],
    '{"tokens":"redacted","code":"E1","key":"k"}',
  ],
]

test('log lines', () => {
  for (const [args, wanted] of lines) assert.equal(redactLog(logText(args)), wanted)
})

const secrets: [given: string, wanted: string][] = [
  ['GET /a?token=T&page=2', 'GET /a?token=redacted&page=2'],
  ['https://ann:pw@app.example/', 'https://app.example/'],
  ['see https://a.example/#access_token=T', 'see https://a.example/#access_token=redacted'],
  [`Authorization: Bearer ${jwt}`, 'Authorization: redacted'],
  [`x ${jwt} y`, 'x redacted y'],
  ['password: hunter2, user: ann', 'password: redacted, user: ann'],
  ['{"password":"two words","id":1}', '{"password":"redacted","id":1}'],
  ["{ apiKey: 'k' }", "{ apiKey: 'redacted' }"],
  ['url: https://a.example/?a=1#id_token=T ok', 'url: https://a.example/?a=1#id_token=redacted ok'],
  [
    String.raw`{"body":"{\"password\":\"hunter2\"}"}`,
    String.raw`{"body":"{\"password\":\"redacted"}`,
  ],
  ['author: Ann, keyboard: qwerty, code: E42', 'author: Ann, keyboard: qwerty, code: E42'],
]

test('texts of logs have no secrets', () => {
  for (const [given, wanted] of secrets) assert.equal(redactLog(given), wanted, given)
})

test('a long text takes no time', () => {
  for (const part of ['a:', 'a="', 'token', "'", '\\\\"', ' = '])
    redactLog(part.repeat(1_000 / part.length))
})

test('what is copied is bounded', () => {
  const wide = Array.from({ length: 10_000 }, (_, i) => ({ i, text: 'x'.repeat(5_000) }))
  assert.ok(JSON.stringify(plainOf(wide, 8, { left: 10_000 })).length < 20_000)
  assert.ok(logText([wide, wide, 'y'.repeat(1e6)]).length <= 1_001)
  assert.ok(logText(['%o', 'z'.repeat(1e6)]).length <= 1_001)
})

test('no getter of the app runs', () => {
  let ran = 0
  const odd = {
    get secret() {
      return ++ran
    },
    get name() {
      return ++ran
    },
  }
  assert.equal(logText([odd]), '{"secret":"redacted","name":"(…)"}')
  assert.equal(ran, 0)
})

test('rejections are no errors always', () => {
  const rows: [unknown, string][] = [
    ['text', 'text'],
    [undefined, 'undefined'],
    [{ message: 'from a server' }, 'from a server'],
    [{ status: 4 }, '{"status":4}'],
    [new DOMException('gone', 'AbortError'), 'AbortError: gone'],
  ]
  for (const [error, wanted] of rows) assert.equal(errorText(error), wanted)
})
