// How long decisions hold, and what they say about a request.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Action,
  askedOf,
  type Decisions,
  decisionOf,
  holding,
  isShowable,
  keptTime,
  maxAssistants,
  reduce,
  type SavedGrant,
  sessionTime,
  tableOf,
} from '../../src/access/decisions.ts'
import { en, questionOf, textsIn } from '../../src/access/dialog.ts'
import type { AccessRequest } from '../../src/page-access.ts'
import { languageOf, languages, translated } from '../../src/translation.ts'

const now = 1_800_000_000_000
const day = 86_400_000
const about = { app: 'notes', title: 'My notes', origin: 'https://a.example', wanted: [] }
const decisions = (...grants: SavedGrant[]): Decisions => ({ app: 'notes', grants })
const after = (of: Decisions, ...actions: Action[]) =>
  actions.reduce((all, action) => reduce(all, action, now), of)
const read = { assistant: 'a', right: 'read', allow: true, time: now } as const

for (const { name, grant, want } of [
  { name: 'this time', grant: { ...read, session: true }, want: now + sessionTime },
  {
    name: 'this time, used later',
    grant: { ...read, session: true, used: now + day },
    want: now + sessionTime,
  },
  { name: 'always', grant: read, want: now + keptTime },
  { name: 'always, used', grant: { ...read, used: now + day }, want: now + day + keptTime },
  {
    name: 'a denial, tried again',
    grant: { ...read, allow: false, used: now + 29 * day },
    want: now + 29 * day + keptTime,
  },
] as { name: string; grant: SavedGrant; want: number }[]) {
  test(`when a decision ends: ${name}`, () => {
    const at = (time: number) => holding([grant], time).length
    assert.deepEqual([at(want - 1), at(want)], [1, 0])
  })
}

test('a request makes the decisions about its right hold longer', () => {
  const old = now - 20 * day
  const of = decisions({ ...read, time: old }, { ...read, right: 'act', time: old })
  const { grants } = after(of, { do: 'used', assistant: 'a', right: 'read' })
  assert.deepEqual(
    grants.map(({ used }) => used),
    [now, undefined],
  )
})

const act = { ...read, right: 'act' } as const
const wipe = { name: 'wipe', destructive: true }
const says: {
  name: string
  grants: SavedGrant[]
  request: Pick<AccessRequest, 'assistant' | 'right' | 'tool'>
  want: boolean | undefined
}[] = [
  { name: 'no decision', grants: [], request: read, want: undefined },
  {
    name: 'of another assistant',
    grants: [{ ...read, assistant: 'b' }],
    request: read,
    want: undefined,
  },
  { name: 'of another right', grants: [act], request: read, want: undefined },
  { name: 'a grant', grants: [read], request: read, want: true },
  { name: 'a denial', grants: [{ ...read, allow: false }], request: read, want: false },
  { name: 'a tool', grants: [act], request: { ...act, tool: { name: 'add' } }, want: true },
  {
    name: 'a destructive tool, by the right',
    grants: [act],
    request: { ...act, tool: wipe },
    want: undefined,
  },
  {
    name: 'a destructive tool, by its own grant',
    grants: [{ ...act, tool: 'wipe' }],
    request: { ...act, tool: wipe },
    want: true,
  },
  {
    name: 'the grant of a tool is none of another',
    grants: [{ ...act, tool: 'wipe' }],
    request: { ...act, tool: { name: 'add' } },
    want: undefined,
  },
  {
    name: 'the denial of a right is one of its tools',
    grants: [
      { ...act, tool: 'wipe' },
      { ...act, allow: false },
    ],
    request: { ...act, tool: wipe },
    want: false,
  },
]
for (const { name, grants, request, want } of says) {
  test(`what decisions say: ${name}`, () => {
    assert.equal(decisionOf(request, grants)?.allow, want)
  })
}

test('a denial ends what was granted before, and a grant replaces the denial', () => {
  const { time: _, ...grant } = { ...read, right: 'act' as const }
  const decided = after(
    decisions(),
    { do: 'decide', grant },
    { do: 'decide', grant: { ...grant, tool: 'wipe', session: true } },
  )
  assert.equal(decided.grants.length, 2)
  const stopped = after(decided, {
    do: 'stop',
    assistants: ['a', 'page'],
    rights: ['read', 'act'],
  })
  assert.deepEqual(
    stopped.grants.map((one) => [one.assistant, one.right, one.allow, one.isRevoked]),
    [
      ['a', 'read', false, true],
      ['a', 'act', false, true],
    ],
    'and the page itself cannot be denied',
  )
  const allowed = after(stopped, { do: 'decide', grant: { ...grant, right: 'read' } })
  assert.deepEqual(
    allowed.grants.map(({ allow }) => allow),
    [false, true],
  )
  assert.deepEqual(after(allowed, { do: 'forget', assistant: 'a' }).grants, [])
})

test('what is for this time ends with the memory of the gateway, a pause by itself', () => {
  const of = { ...decisions({ ...read, session: true }, act), pausedUntil: now + 1 }
  assert.deepEqual(after(of, { do: 'end-sessions' }).grants, [act])
  assert.equal(reduce(of, { do: 'end-sessions' }, now + 1).pausedUntil, undefined)
  assert.equal(after(of, { do: 'pause', until: undefined }).pausedUntil, undefined)
})

test('the oldest decisions are forgotten', () => {
  const all = Array.from({ length: maxAssistants + 5 }, (_, i) => ({
    ...read,
    assistant: `a${i}`,
    time: now + i,
  }))
  const { grants } = after(decisions(...all), { do: 'end-sessions' })
  assert.equal(grants.length, maxAssistants)
  assert.equal(grants[0]?.assistant, 'a5')
})

test('the table never names the page itself, since an assistant may have that name', () => {
  for (const mode of ['open', 'ask', 'policy'] as const) {
    const table = tableOf(mode, decisions())
    assert.deepEqual(table, {
      default: mode === 'open' ? 'open' : 'ask',
      ...(mode === 'policy' && { policy: true }),
      grants: [],
    })
  }
  assert.deepEqual(
    tableOf('policy', decisions(read), ['b']).grants.map(({ assistant, right }) => [
      assistant,
      right,
    ]),
    [
      ['a', 'read'],
      ['a', 'list'],
      ['b', 'list'],
    ],
  )
  const hosted = decisions(
    { ...read, assistant: 'client:denied', allow: false },
    { ...read, assistant: 'client:allowed' },
  )
  const seeing = ['client:denied', 'client:new', 'local']
  const { policy, asksLists, grants } = tableOf('ask', hosted, seeing, [], true)
  assert.deepEqual([policy, asksLists], [undefined, true])
  assert.deepEqual(
    grants.map(({ assistant, right, allow }) => [assistant, right, allow]),
    [
      ['client:denied', 'read', false],
      ['client:allowed', 'read', true],
      ['client:denied', 'list', true],
      ['client:new', 'read', true],
      ['local', 'list', true],
    ],
  )
  const withheld = [{ assistant: 'a', uri: 'note:a' }]
  assert.deepEqual(tableOf('open', decisions(read), [], withheld).grants[0], {
    assistant: 'a',
    right: 'read',
    uri: 'note:a',
    allow: false,
    until: Number.MAX_SAFE_INTEGER,
  })
})

test('a question names the same things in all languages', () => {
  const names = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(String).sort()
  for (const language of languages) {
    const texts: { readonly [key: string]: string } = textsIn(language)
    for (const [key, text] of Object.entries(en)) {
      assert.deepEqual(names(texts[key] ?? ''), names(text), `${language}: ${key}`)
    }
  }
})

test('a text that a translation lacks is shown in English', () => {
  const english = { a: 'A', of: { b: 'B', c: 'C' }, count: { one: 'one', other: '{count}' } }
  assert.deepEqual(translated(english, { of: { c: 'Z' }, count: { other: 'Z {count}' } }), {
    a: 'A',
    of: { b: 'B', c: 'Z' },
    count: { other: 'Z {count}' },
  })
})

test('the language is that of the document, then one of the browser, then English', () => {
  for (const [wanted, want] of [
    [['de-AT'], 'de'],
    [['', 'ja'], 'ja'],
    [['fr', 'zh-CN', 'de'], 'zh-Hans'],
    [['zh-TW', 'constructor'], 'en'],
    [[], 'en'],
  ] as const)
    assert.equal(languageOf(wanted), want, wanted.join())
})

test('texts of assistants are cut and cleaned, and names that do not show are refused', () => {
  assert.equal(isShowable('claude-code'), true)
  for (const name of ['', 'a\u202eb', 'a\u200bb', 'a\nb', ' a', 'x'.repeat(200)]) {
    assert.equal(isShowable(name), false, JSON.stringify(name))
  }
  const call = { assistant: 'a', right: 'act', method: 'tools/call' } as const
  const given = { a: `\u202e${'x'.repeat(30_000)}`, last: 'here' }
  const { arguments: text = '' } = askedOf({ ...call, arguments: given })
  assert.ok(text.startsWith('{\n  "a": "\\u{202e}xxx'), text.slice(0, 40))
  assert.ok(text.endsWith('"last": "here"\n}'), 'arguments are whole')
  const asked = askedOf({
    assistant: 'a',
    callsItself: `Claude\u202e${'y'.repeat(200)}`,
    right: 'read',
    method: 'resources/read',
    uri: 'notes://\u00001',
    arguments: { secret: 1 },
  })
  assert.deepEqual([[...(asked.callsItself ?? '')].length, asked.what], [128, 'notes:// 1'])
  assert.equal(asked.arguments, undefined, 'a read has none')
  const { lines } = questionOf({ ...asked, callsItself: 'a' }, about, now)
  const said = lines.map((line) => line.map(({ text }) => text).join(''))
  assert.ok(said.includes('App: My notes (notes) at https://a.example'), said.join('\n'))
  assert.equal(said.join().includes('calls itself'), false, 'a name that is known')
})
