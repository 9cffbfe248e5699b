// What is taken out of URLs, and what counts as a secret: tables, without a browser.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  isSecretHeader,
  isSecretMember,
  isSecretName,
  isSecretValue,
  redactText,
  redactUrl,
} from '../../src/redact.ts'
import { plainLabel } from '../../src/translation.ts'

const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'

const urls: [given: string, wanted: string][] = [
  // user information
  ['https://ann:pw@app.example/a', 'https://app.example/a'],
  ['https://ann@app.example/a@b', 'https://app.example/a@b'],
  ['https:\\\\ann:p@w@app.example/', 'https:\\\\app.example/'],
  ['https:ann:pw@app.example/', 'https:app.example/'],
  ['//ann:pw@app.example/', '//app.example/'],
  ['postgres://ann:pw@db.example/x', 'postgres://db.example/x'],
  // query values by name
  ['https://a.example/?token=T&page=2', 'https://a.example/?token=redacted&page=2'],
  ['https://a.example/?access_token=T', 'https://a.example/?access_token=redacted'],
  ['https://a.example/?accessToken=T', 'https://a.example/?accessToken=redacted'],
  ['https://a.example/?api-key=K;x=1', 'https://a.example/?api-key=redacted;x=1'],
  ['https://a.example/?%74oken=T', 'https://a.example/?%74oken=redacted'],
  ['https://a.example/?%2574oken=T', 'https://a.example/?%2574oken=redacted'],
  ['?code=C&state=open', '?code=redacted&state=open'],
  ['?X-Amz-Signature=S&X-Amz-Date=D', '?X-Amz-Signature=redacted&X-Amz-Date=D'],
  ['?user[password]=P', '?user[password]=redacted'],
  ['?pass\tword=P', '?password=redacted'],
  // query values by what they are
  [`?x=${jwt}`, '?x=redacted'],
  [`?${jwt}`, '?redacted'],
  ['?x=ghp_0123456789abcdefABCDEF', '?x=redacted'],
  // path
  ['/app;jsessionid=J/next', '/app;jsessionid=redacted/next'],
  [`/reset/${jwt}/`, '/reset/redacted/'],
  // fragment
  [
    'https://a.example/#access_token=T&expires=9',
    'https://a.example/#access_token=redacted&expires=9',
  ],
  ['https://a.example/#/login?code=C', 'https://a.example/#/login?code=redacted'],
  [`https://a.example/#${jwt}`, 'https://a.example/#redacted'],
  // URLs within URLs
  ['?next=%2Fcb%3Ftoken%3DT', '?next=%2Fcb%3Ftoken%3Dredacted'],
  ['?next=%252Fcb%253Ftoken%253DT', '?next=%2Fcb%3Ftoken%3Dredacted'],
  ['?next=https://u:p@b.example/', '?next=https%3A%2F%2Fb.example%2F'],
  ['?q=a=1%26secret=S', '?q=a%3D1%26secret%3Dredacted'],
  // schemes whose all is content
  ['data:text/plain,secret', 'data:redacted'],
  [' java\nscript:alert(1)', 'javascript:redacted'],
  ['https://[nonsense/', 'redacted'],
]

test('secrets are taken out of URLs', () => {
  for (const [given, wanted] of urls) assert.equal(redactUrl(given), wanted, given)
})

test('what has no secret stays as it is, to the letter', () => {
  const plain = [
    '',
    'https://a.example',
    'https://a.example/a%20b/?q=caf%C3%A9&page=2&sort=#top',
    'https://a.example/search?author=Ann&keyboard=qwerty&q=a+b%',
    '/docs/tokens#keys',
    'mailto:ann@example.org',
    'blob:https://a.example/0d2b1c7e',
    '?time=10:30&empty=',
    '#section-2',
    'tel:+123',
  ]
  for (const url of plain) assert.equal(redactUrl(url), url)
})

test('redacting twice is redacting once', () => {
  for (const [given] of urls) {
    const once = redactUrl(given)
    assert.equal(redactUrl(once), once, given)
  }
})

test('names of secrets', () => {
  const secret =
    'token,refreshToken,id_token,secret,client-secret,password,passwd,passphrase,auth,auth.user,api_key,apiKey,APIKEY,key,key2,PHPSESSID,JSESSIONID,sid,session,code,otp,pin,csrfmiddlewaretoken,signature,sig,credential,jwt,cvv,Cookie,oauth_verifier,authorization'
  for (const name of secret.split(',')) assert.equal(isSecretName(name), true, name)
  const plain =
    'author,keyboard,monkey,keyword,theme,draft,page,user,decode,encoded,sidebar,pinned,spinner,design,compass,passenger,locale,lang,title,signal,'
  for (const name of plain.split(',')) assert.equal(isSecretName(name), false, name)
})

test('a name is a secret in some places and ordinary in others', () => {
  const names: [name: string, field: boolean, header: boolean, member: boolean][] = [
    // everywhere
    ['password', true, true, true],
    ['client_secret', true, true, true],
    ['passwordHint', true, true, true],
    ['x-api-key', true, true, true],
    ['apiKey', true, true, true],
    ['private_key', true, true, true],
    ['credentials', true, true, true],
    ['set-cookie', true, true, true],
    ['Authorization', true, true, true],
    ['proxy-authorization', true, true, true],
    ['accessToken', true, true, true],
    ['tokenValue', true, true, true],
    ['csrf_token', true, true, true],
    ['Mcp-Session-Id', true, true, true],
    ['sessionId', true, true, true],
    // ordinary members of MCP and of records
    ['progressToken', true, true, false],
    ['maxTokens', true, true, false],
    ['token_endpoint', true, true, false],
    ['authorization_servers', true, true, false],
    ['key', true, true, false],
    ['keys', true, true, false],
    ['code', true, false, false],
    ['pin', true, false, false],
    ['nonce', true, false, false],
    ['ticket', true, false, false],
    // HTTP
    ['x-auth-user', true, true, false],
    ['www-authenticate', true, false, false],
    ['proxy-authenticate', true, false, false],
    ['x-ratelimit-reset', true, false, false],
    ['mcp-method', false, false, false],
    ['mcp-protocol-version', false, false, false],
    ['retry-after', false, false, false],
    ['content-type', false, false, false],
    // of a program in a client's configuration
    ['env', false, false, true],
    ['environment', false, false, false],
    // no word of its own
    ['compass_width', false, false, false],
    ['cursor', false, false, false],
    ['nextCursor', false, false, false],
    ['author', false, false, false],
    ['', false, false, false],
  ]
  for (const [name, field, header, member] of names) {
    const found = [isSecretName(name), isSecretHeader(name), isSecretMember(name)]
    assert.deepEqual(found, [field, header, member], name)
  }
})

const pem = '-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----'

const secretValues = [
  jwt,
  'eyJhbGciOiJkaXIifQ..iv.cipher.tag', // encrypted, without a key of its own
  `sid_${jwt}`,
  'AKIAIOSFODNN7EXAMPLE',
  'ASIAIOSFODNN7EXAMPLE',
  'AIza0123456789abcdefghijklmnopqrstuvw',
  'sk_live_0123456789',
  'sk-ant-api03-0123456789',
  'sk-abcdefghijklmnop',
  'sk-abcdefghijkl',
  'ghp_0123456789abcdefABCDEF',
  'ghr_0123456789abcdefABCDEF',
  'github_pat_0123456789abcdefABCDEF',
  'glpat-0123456789abcdef',
  'xoxe-0123456789',
  pem,
]

test('values that are secrets, alone and within a text', () => {
  for (const value of secretValues) {
    assert.equal(isSecretValue(value), true, value)
    const redacted = redactText(`before ${value} after`, '…')
    assert.match(redacted, /^before …\S* after$/, value)
    for (const part of ['c2lnbmF0dXJl', '0123456789', 'MIIE']) {
      if (value.includes(part)) assert.ok(!redacted.includes(part), redacted)
    }
  }
  const ordinary = [
    '',
    'hello',
    '0d2b1c7e-9f00-4a6e-8a39-4f9d2c8a1b3e',
    'task_1',
    'sk-short',
    'pk_orders_by_customer',
    'risk_assessment',
    'Basic knowledge',
    '2026-01-31',
  ]
  for (const value of ordinary) assert.equal(isSecretValue(value), false, value)
})

test('texts lose HTTP credentials, passwords and secret parameters of URLs', () => {
  const texts: [text: string, redacted: string][] = [
    ['Authorization: Bearer abcdefgh1234', 'Authorization: [x]'],
    ['see https://me:pw@host/a?token=abc&page=1#x', 'see https://host/a?token=[x]&page=1#x'],
    ['/callback?code=4711 and ?q=2', '/callback?code=[x] and ?q=2'],
    ["mark: ?key='$&'", "mark: ?key='$&'"],
    ['no secret in here', 'no secret in here'],
  ]
  for (const [text, redacted] of texts) assert.equal(redactText(text, '[x]'), redacted)
})

test('labels have nothing in them that steers', () => {
  const labels: [string, string][] = [
    ['Plain title', 'Plain title'],
    ['two\r\n lines\tand  blanks ', 'two lines and blanks'],
    ['red \u001b[31mcolour\u001b[0m', 'red colour'],
    ['title \u001b]0;new\u0007end', 'title end'],
    ['abc\u202edef\u2066g', 'abcdefg'],
    ['zero\u200bwidth\ufeff\u00ad', 'zerowidth'],
    ['\u{e0041}\u{e0042}tags', 'tags'],
    ['nul\u0000 c1\u0085 x', 'nul c1 x'],
    ['\ud800 alone', '\ufffd alone'],
    ['naïve 日本語 👩 العربية', 'naïve 日本語 👩 العربية'],
  ]
  for (const [given, wanted] of labels) assert.equal(plainLabel(given), wanted)
  assert.equal(plainLabel('x'.repeat(300)).length, 200)
  assert.equal(plainLabel('😀'.repeat(10), 4), '😀…')
})
