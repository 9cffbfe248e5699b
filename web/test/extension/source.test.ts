/** The source of the extension, by itself: what it lists, and what it announces. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { staleBy } from '../../extension/changes.ts'
import type { TabInfo } from '../../extension/messages.ts'
import { tickedTabs } from '../../extension/source.ts'
import { withheldOf } from '../../extension/withheld.ts'

const { signal } = new AbortController()

function tab(id: number, more: Partial<TabInfo> = {}): TabInfo {
  return {
    id,
    title: `Tab ${id}`,
    url: `https://app.example/${id}`,
    site: 'https://app.example',
    window: 1,
    front: false,
    active: false,
    audible: false,
    pinned: false,
    loading: false,
    discarded: false,
    lastAccessed: 1000,
    ticked: true,
    shared: true,
    stopped: [],
    acting: [],
    ...more,
  }
}

const served = (...tabs: TabInfo[]) =>
  tickedTabs({
    sharedTabs: async () => structuredClone(tabs),
    text: async ({ tab }) => ({ text: `text of ${tab}`, cut: tab === 2 }),
  })

test('tabs are listed by number, page by page', async () => {
  const { source } = served(tab(10), tab(2), tab(3, { discarded: true }))
  const uris: string[] = []
  let cursor: string | undefined
  do {
    const page = await source.list(cursor, { pageSize: 2, signal })
    assert.ok(page.resources.length <= 2)
    uris.push(...page.resources.map(({ uri }) => uri))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  const own = ['tab:///2', 'tab:///2/text', 'tab:///3', 'tab:///10', 'tab:///10/text']
  assert.deepEqual(uris, ['tab:///', 'tab:///active', ...own])
  await assert.rejects(source.list('tab:///x/y', { pageSize: 2, signal }), {
    name: 'BadCursorError',
  })
})

test('a text that was cut says so; other URIs name nothing', async () => {
  const { source } = served(tab(1), tab(2), tab(3, { discarded: true }))
  const [whole] = await source.read('tab:///1/text', { signal })
  assert.equal(whole?.text, 'text of 1')
  assert.equal(whole?._meta?.['io.github.pagemcp/lossy'], undefined)
  const [cut] = await source.read('tab:///2/text', { signal })
  assert.deepEqual(cut?._meta?.['io.github.pagemcp/lossy'], [''])
  for (const uri of [
    'tab:///3/text', // asleep
    'tab:///4',
    'tab:///01',
    'tab:///-1',
    'tab:////text',
    'tab:///active', // not ticked
    'tab:///1/text/',
    'tab:///1?text',
    'tab:/1',
  ]) {
    await assert.rejects(source.read(uri, { signal }), { name: 'NotFoundError' }, uri)
  }
})

test('titles are made plain and URLs lose their secrets, and both say so', async () => {
  const { source } = served(tab(1, { title: 'a\u202eb', url: 'https://u:p@app.example/?code=1' }))
  const [own] = await source.read('tab:///1', { signal })
  const { title, url } = JSON.parse(own?.text ?? '')
  assert.deepEqual([title, url], ['ab', 'https://app.example/?code=redacted'])
  assert.deepEqual(own?._meta?.['io.github.pagemcp/lossy'], ['/title', '/url'])
  const [all] = await source.read('tab:///', { signal })
  assert.deepEqual(all?._meta?.['io.github.pagemcp/lossy'], ['/tabs/0/title', '/tabs/0/url'])
})

test('an assistant is shown and answered tabs of sites at which it is not stopped', async () => {
  const bank = { site: 'https://bank.example', stopped: ['claude'] }
  const all = [tab(1), tab(2, { ...bank, active: true }), tab(3, { ...bank, discarded: true })]
  const { source } = tickedTabs({
    sharedTabs: async () => structuredClone(all),
    text: async ({ tab, client }) => ({ text: `${tab} for ${client}`, cut: false }),
  })
  const fixed = ['tab:///', 'tab:///active']
  const cases = [
    {
      client: 'codex',
      listed: ['tab:///1', 'tab:///1/text', 'tab:///2', 'tab:///2/text', 'tab:///3'],
      content: { active: '2', ids: ['1', '2', '3'] },
      suggested: ['active', '1', '2', '3'],
      reads: { 1: 'yes', 2: 'yes', 3: 'yes', active: 'yes', '2/text': '2 for codex' },
    },
    {
      client: 'claude',
      listed: ['tab:///1', 'tab:///1/text'],
      content: { active: null, ids: ['1'] },
      suggested: ['active', '1'], // which is a URI of the list always
      reads: {
        1: 'yes',
        2: 'NotAllowedError',
        3: 'NotAllowedError',
        active: 'NotAllowedError',
        '1/text': '1 for claude',
        '2/text': 'NotAllowedError',
        '3/text': 'NotAllowedError', // not whether it is asleep
        'active/text': 'NotAllowedError',
        4: 'NotFoundError',
      },
    },
  ]
  for (const { client, listed, content, suggested, reads } of cases) {
    const { resources } = await source.list(undefined, { pageSize: 9, signal, client })
    const uris = resources.map(({ uri }) => uri)
    assert.deepEqual(uris, [...fixed, ...listed], client)
    const [whole] = await source.read('tab:///', { signal, client })
    const { active, tabs } = JSON.parse(whole?.text ?? '') as { active: unknown; tabs: TabInfo[] }
    assert.deepEqual({ active, ids: tabs.map(({ id }) => id) }, content, client)
    const ref = { type: 'ref/resource', uri: 'tab:///{id}' } as const
    const context = { arguments: {}, signal, client }
    const found = await source.complete?.(ref, { name: 'id', value: '' }, context)
    assert.deepEqual(
      (found as string[]).filter((id) => !id.startsWith('Tab')),
      suggested,
      client,
    )
    for (const [path, want] of Object.entries(reads)) {
      const answer = await source.read(`tab:///${path}`, { signal, client }).then(
        ([one]) => (path.endsWith('text') ? one?.text : 'yes'),
        (error: Error) => error.name,
      )
      assert.equal(answer, want, `${client} reads ${path}`)
    }
  }
})

test('the tab that is answered is the one that is decided about', async () => {
  // At the second look another site is in front, and the first tab has gone there, too.
  const bank = { site: 'https://bank.example', stopped: ['claude'] }
  const looks = [
    [tab(1, { active: true }), tab(2, bank)],
    [tab(1, bank), tab(2, { ...bank, active: true })],
  ]
  let next = 0
  const { source } = tickedTabs({
    sharedTabs: async () => looks[next++] ?? [],
    text: async () => undefined,
  })
  const [first] = await source.read('tab:///active', { signal, client: 'claude' })
  assert.equal(JSON.parse(first?.text ?? '').id, '1')
  assert.equal(next, 1)
  await assert.rejects(source.read('tab:///active', { signal, client: 'claude' }), {
    name: 'NotAllowedError',
  })
  next = 1
  await assert.rejects(source.read('tab:///1', { signal, client: 'claude' }), {
    name: 'NotAllowedError',
  })
})

test('exactly what is different is announced', () => {
  const none = new Set<number>()
  const before = [tab(1), tab(12, { active: true })]
  const list = undefined
  const cases: [string, TabInfo[], ReadonlySet<number>, (string | undefined)[]][] = [
    ['nothing', [tab(1), tab(12, { active: true })], none, []],
    [
      'a title',
      [tab(1, { title: 'x' }), tab(12, { active: true })],
      none,
      ['tab:///1', 'tab:///1/text', 'tab:///', list],
    ],
    [
      'a sound',
      [tab(1, { audible: true }), tab(12, { active: true })],
      none,
      ['tab:///1', 'tab:///'],
    ],
    [
      'a new document in the active tab',
      before,
      new Set([12]),
      ['tab:///12', 'tab:///12/text', 'tab:///active', 'tab:///active/text', 'tab:///'],
    ],
    [
      'the active tab is gone',
      [tab(1)],
      none,
      ['tab:///12', 'tab:///12/text', 'tab:///active', 'tab:///active/text', 'tab:///', list],
    ],
    [
      'an assistant that is stopped at the site',
      [tab(1, { stopped: ['claude'] }), tab(12, { active: true })],
      none,
      ['tab:///1', 'tab:///1/text', 'tab:///', list],
    ],
    ['until when it is ticked', [tab(1, { until: 1 }), tab(12, { active: true })], none, []],
    ['one more', [...before, tab(2)], none, ['tab:///2', 'tab:///2/text', 'tab:///', list]],
  ]
  for (const [what, now, loaded, stale] of cases) {
    assert.deepEqual(staleBy(before, now, loaded), stale, what)
  }
})

test('whoever listens no longer hears nothing', () => {
  const { source, update } = served()
  const heard: unknown[] = []
  const first = new AbortController()
  source.watch?.((what) => heard.push(what), first.signal)
  update([tab(1)], [])
  assert.deepEqual(heard, ['tab:///1', 'tab:///1/text', 'tab:///', undefined])
  first.abort()
  update([], [])
  assert.equal(heard.length, 4)
})

test('tabs are withheld from the assistants that are stopped at their site', () => {
  const both = { stopped: ['claude', 'codex'] }
  assert.deepEqual(
    withheldOf([tab(1), tab(2, both), tab(3, { stopped: ['codex'], active: true })]),
    [
      { assistant: 'claude', uri: 'tab:///2' },
      { assistant: 'codex', uri: 'tab:///2' },
      { assistant: 'codex', uri: 'tab:///3' },
      { assistant: 'codex', uri: 'tab:///active' },
    ],
  )
  // More than the engine takes: none of them gets less than its user has withheld.
  const many = Array.from({ length: 1001 }, (_, id) => tab(id, both))
  assert.deepEqual(withheldOf(many), [
    { assistant: 'claude', uri: 'tab:///' },
    { assistant: 'codex', uri: 'tab:///' },
  ])
})
