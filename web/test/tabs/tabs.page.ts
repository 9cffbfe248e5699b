import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { known, openTab, servePage } from './serving.ts'

const site = servePage()

inBrowsers('each tab serves all of them', async (browser) => {
  const a = await openTab(browser, site.url('/a?page=2&token=s3cret#code=s3cret'))
  const b = await openTab(browser, site.url('/b'))
  await a.evaluate(() => tabKit.untilTitles('a', 'b'))
  const [idA, idB] = [
    await a.evaluate(() => tabKit.own()),
    await b.evaluate(() => tabKit.own()),
  ].map(({ id }) => id)
  assert.notEqual(idA, idB)
  for (const [page, title] of [
    [a, 'a'],
    [b, 'b'],
  ] as const) {
    const { tabs, active } = await page.evaluate(() => tabKit.all())
    assert.deepEqual(tabs.map((tab) => [tab.title, tab.this]).sort(), [
      ['a', title === 'a'],
      ['b', title === 'b'],
    ])
    assert.equal(tabs.filter((tab) => tab.active).length, 1)
    assert.equal(tabs.find((tab) => tab.active)?.id, active)
    assert.equal(
      tabs.find((tab) => tab.title === 'a')?.url,
      site.url('/a?page=2&token=redacted#code=redacted'),
    )
  }
  const got = await b.evaluate(async (id) => {
    const one = await tabKit.source?.read(`tab:///${id}`, { signal: tabKit.never })
    const lists = []
    let cursor: string | undefined
    do {
      const part = await tabKit.source?.list(cursor, { pageSize: 1, signal: tabKit.never })
      lists.push(part?.resources.map(({ uri }) => uri).join())
      cursor = part?.nextCursor
    } while (cursor !== undefined)
    const refused = []
    for (const uri of [
      'tab:///nobody',
      'tab:////text',
      'tab:///active/x',
      `tab:///${id}/`,
      'tab:///../x',
    ]) {
      refused.push(await tabKit.read(uri).catch((error) => error.name))
    }
    refused.push(
      await tabKit.source
        ?.list('x/y', { pageSize: 9, signal: tabKit.never })
        .catch(({ name }) => name),
    )
    return { one, lists, refused }
  }, idA)
  const item = got.one?.[0]
  assert.equal(item?.mimeType, 'application/json')
  assert.equal(JSON.parse(item?.text ?? '').title, 'a')
  const ids = [idA, idB].sort()
  assert.deepEqual(got.lists, [
    'tab:///',
    'tab:///active',
    ...ids.flatMap((id) => [`tab:///${id}`, `tab:///${id}/text`]),
  ])
  assert.deepEqual(got.refused, [...Array(5).fill('NotFoundError'), 'BadCursorError'])
})

inBrowsers(
  'a tab that comes and one that goes are announced',
  async (browser) => {
    const a = await openTab(browser, site.url('/a'))
    await a.evaluate(() => tabKit.forget())
    const b = await openTab(browser, site.url('/b'))
    const id = await b.evaluate(async () => (await tabKit.own()).id)
    await a.evaluate((id) => tabKit.until('list', 'tab:///', `tab:///${id}`), id)
    await b.close()
    await a.evaluate(() => tabKit.untilTitles('a'))
    const gone = await a.evaluate((id) => tabKit.until('list', 'tab:///', `tab:///${id}`), id)
    assert.ok(gone.includes(`tab:///${id}/text`))
    const read = await a.evaluate((id) => tabKit.read(`tab:///${id}`).catch(({ name }) => name), id)
    assert.equal(read, 'NotFoundError')
  },
  { only: ['chromium'] },
)

inBrowsers('changes of title and URL are announced, whatever makes them', async (browser) => {
  const a = await openTab(browser, site.url('/a'))
  const b = await openTab(browser, site.url('/b'))
  const id = await b.evaluate(async () => (await tabKit.own()).id)
  await a.evaluate(() => tabKit.untilTitles('a', 'b'))
  const ways: [title: string, path: string, act: () => void][] = [
    [
      'two',
      '/b',
      () => {
        document.title = 'two'
      },
    ],
    [
      'three',
      '/b',
      () => {
        document.querySelector('title')?.firstChild?.replaceWith('three')
      },
    ],
    [
      'four',
      '/b',
      () => {
        const title = document.createElement('title')
        title.textContent = 'four'
        document.querySelector('title')?.replaceWith(title)
      },
    ],
    [
      'five',
      '/b',
      () => {
        const head = document.createElement('head')
        head.innerHTML = '<title>five</title>'
        document.head.replaceWith(head)
      },
    ],
    [
      'six',
      '/b',
      () => {
        document.title = 'six'
      },
    ],
    ['six', '/pushed', () => history.pushState(null, '', '/pushed')],
    ['six', '/replaced?q=1', () => history.replaceState(null, '', '/replaced?q=1')],
    [
      'six',
      '/replaced?q=1#there',
      () => {
        location.hash = '#there'
      },
    ],
    ['six', '/replaced?q=1', () => history.back()],
  ]
  for (const [title, path, act] of ways) {
    await a.evaluate(() => tabKit.forget())
    await b.evaluate(act)
    const tab = await a.evaluate(
      async ({ id, title, url }) => {
        for (;;) {
          await tabKit.until('list', 'tab:///', `tab:///${id}`, `tab:///${id}/text`)
          const tab = JSON.parse(await tabKit.read(`tab:///${id}`))
          if (tab.title === title && tab.url === url) return tab
        }
      },
      { id, title, url: site.url(path) },
    )
    assert.equal(tab.this, false)
  }
  // Its own changes, too, and one announcement for a task, however much it changes.
  const seen = await b.evaluate(async () => {
    tabKit.forget()
    for (let i = 0; i < 100; i++) history.replaceState(null, '', `/many?${i}`)
    await tabKit.until('tab:///')
    return tabKit.seen.length
  })
  assert.equal(seen, 0)
})

inBrowsers('an id stays through a reload; a copy of the tab has its own', async (browser) => {
  const a = await openTab(browser, site.url('/a'))
  const id = await a.evaluate(async () => (await tabKit.own()).id)
  const watcher = await openTab(browser, site.url('/b'))
  await watcher.evaluate(() => tabKit.untilTitles('a', 'b'))
  for (let i = 0; i < 3; i++) {
    await a.reload()
    await known(a)
    assert.equal(await a.evaluate(async () => (await tabKit.own()).id), id)
  }
  const popup = new Promise<import('puppeteer-core').Page | null>((resolve) => {
    a.once('popup', resolve)
  })
  await a.evaluate(() => void window.open(location.href))
  const copy = await popup
  assert.ok(copy)
  await known(copy)
  const copied = await copy.evaluate(() => ({
    tab: tabKit.own(),
    stored: sessionStorage.getItem('pagemcp.page'),
  }))
  const own = await copy.evaluate(async () => (await tabKit.own()).id)
  assert.notEqual(own, id)
  assert.equal(copied.stored, own, 'the copy keeps its own id')
  await copy.reload()
  await known(copy)
  assert.equal(await copy.evaluate(async () => (await tabKit.own()).id), own)
  await a.reload()
  await known(a)
  assert.equal(await a.evaluate(async () => (await tabKit.own()).id), id)
  const tabs = await watcher.evaluate(() => tabKit.untilTitles('a', 'a', 'b'))
  assert.equal(new Set(tabs.map((tab) => tab.id)).size, 3)
})

inBrowsers('the active tab is the one that had the focus last', async (browser) => {
  const a = await openTab(browser, site.url('/a'))
  const b = await openTab(browser, site.url('/b'))
  await a.evaluate(() => tabKit.untilTitles('a', 'b'))
  for (const [page, title] of [
    [a, 'a'],
    [b, 'b'],
    [a, 'a'],
  ] as const) {
    const already = await b.evaluate(
      async () => JSON.parse(await tabKit.read('tab:///active')).title,
    )
    await b.evaluate(() => tabKit.forget())
    await page.bringToFront()
    await page.evaluate(() => window.dispatchEvent(new Event('focus')))
    if (already === title) continue
    const active = await b.evaluate(async (title) => {
      for (;;) {
        await tabKit.until('tab:///active', 'tab:///active/text', 'tab:///')
        const tab = JSON.parse(await tabKit.read('tab:///active'))
        if (tab.title === title) return tab
      }
    }, title)
    assert.equal(active.active, true)
    assert.ok(Date.parse(active.lastFocus) > 0)
  }
})

inBrowsers(
  'a tab says its text when it is asked: what a user can see',
  async (browser) => {
    const a = await openTab(browser, site.url('/a'))
    const page = await openTab(browser, site.url('/text'))
    const mute = await openTab(browser, site.url('/b?mute'))
    const id = await page.evaluate(async () => (await tabKit.own()).id)
    const muteId = await mute.evaluate(async () => (await tabKit.own()).id)
    await a.evaluate(() => tabKit.untilTitles('a', 'b', 'text'))
    const got = await a.evaluate(
      async ({ id, muteId }) => {
        const listing = await tabKit.source?.list(undefined, { pageSize: 99, signal: tabKit.never })
        return {
          text: await tabKit.read(`tab:///${id}/text`),
          refused: await tabKit.read(`tab:///${muteId}/text`).catch(({ name }) => name),
          uris: listing?.resources.map(({ uri }) => uri),
        }
      },
      { id, muteId },
    )
    assert.match(got.text, /Seen\s+by a user/)
    assert.doesNotMatch(got.text, /HIDDEN|PRIVATE|PASSWORD/)
    assert.equal(got.refused, 'NotFoundError')
    assert.ok(got.uris?.includes(`tab:///${id}/text`))
    assert.ok(!got.uris?.includes(`tab:///${muteId}/text`))
    assert.equal(
      await page.evaluate((id) => tabKit.read(`tab:///${id}/text`), id),
      got.text,
      'its own',
    )
    // Long text is cut, and says so.
    await page.evaluate(() => {
      document.body.textContent = 'x'.repeat(250_000)
    })
    const cut = await a.evaluate(async (id) => {
      const [item] =
        (await tabKit.source?.read(`tab:///${id}/text`, { signal: tabKit.never })) ?? []
      return { length: item?.text?.length, lossy: item?._meta?.['io.github.pagemcp/lossy'] }
    }, id)
    assert.deepEqual(cut, { length: 200_000, lossy: [''] })
  },
  { only: ['chromium'] },
)

inBrowsers(
  'a text that changes is announced, in every tab',
  async (browser) => {
    const a = await openTab(browser, site.url('/a'))
    const page = await openTab(browser, site.url('/text'))
    const id = await page.evaluate(async () => (await tabKit.own()).id)
    await a.evaluate(() => tabKit.untilTitles('a', 'text'))
    for (const word of ['once', 'again']) {
      await a.evaluate(() => tabKit.forget())
      await page.evaluate((word) => document.querySelector('p')?.append(word), word)
      const told = await a.evaluate((id) => tabKit.until(`tab:///${id}/text`), id)
      assert.ok(!told.includes('list') && !told.includes('tab:///'), String(told))
      const text = await a.evaluate((id) => tabKit.read(`tab:///${id}/text`), id)
      assert.match(text, new RegExp(word))
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'what is no word of a tab is nobody’s, and a dead one is not there',
  async (browser) => {
    const a = await openTab(browser, site.url('/a'))
    const plain = await browser.open(site.url('/plain'))
    const tab = {
      id: 'ghost',
      title: 'ghost',
      url: 'http://x/',
      visibility: 'hidden',
      focused: false,
      lastFocus: 0,
      text: true,
      edits: 0,
    }
    await plain.evaluate((tab) => {
      const channel = new BroadcastChannel('pagemcp.tabs')
      const wrong = [
        null,
        1,
        'here',
        {},
        { is: 'here' },
        { is: 'here', tab: 1 },
        { is: 'here', tab: {} },
        { is: 'new', tab: { ...tab, id: '../x' } },
        { is: 'new', tab: { ...tab, title: 1 } },
        { is: 'here', tab: { ...tab, lastFocus: 1e300 } },
        { is: 'text', to: 1 },
        { is: 'gone', id: {} },
      ]
      for (const one of wrong) channel.postMessage(one)
      channel.postMessage({ is: 'here', tab }) // well-formed, but nobody holds its lock
    }, tab)
    await a.evaluate(async () => {
      await tabKit.until('tab:///ghost')
      await tabKit.untilTitles('a')
    })
    // One that holds its lock, but never answers, until it goes.
    await plain.evaluate(async (tab) => {
      const lost = Promise.withResolvers<void>()
      ;(window as never as { lose: unknown }).lose = lost.resolve
      await new Promise<void>((held) => {
        void navigator.locks.request('pagemcp:silent', () => {
          held()
          return lost.promise
        })
      })
      const channel = new BroadcastChannel('pagemcp.tabs')
      channel.postMessage({
        is: 'here',
        tab: { ...tab, id: 'silent', title: 'silent' },
      })
    }, tab)
    await a.evaluate(() => tabKit.untilTitles('a', 'silent'))
    const aborted = await a.evaluate(async () => {
      const controller = new AbortController()
      const reading = tabKit.source?.read('tab:///silent/text', { signal: controller.signal })
      controller.abort()
      return reading?.catch(({ name }) => name)
    })
    assert.equal(aborted, 'AbortError')
    const reading = a.evaluate(() => tabKit.read('tab:///silent/text').catch(({ name }) => name))
    await plain.evaluate(() => (window as never as { lose: () => void }).lose())
    assert.equal(await reading, 'NotFoundError')
  },
  { only: ['chromium'] },
)
