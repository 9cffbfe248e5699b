// Changes of the page are noticed: of its content, its selection, and where it is.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.pageKit

const page = serveKit('page/kit.ts')
const content = ['page:///outline', 'page:///text']

inBrowsers(
  'what changes in the elements is announced, and what changes elsewhere is not',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      pageKit.show('<main><p id="p">one</p><div id="host"></div></main><aside id="aside">x</aside>')
      const host = document.getElementById('host') as HTMLElement
      const shadow = host.attachShadow({ mode: 'open' })
      shadow.innerHTML = '<p>in the shade</p>'
      const { until, stop } = pageKit.changes(pageKit.page({ select: ['main', '.late'] }))
      const p = document.getElementById('p') as HTMLElement
      const aside = document.getElementById('aside') as HTMLElement
      const acts: { [what: string]: () => void } = {
        text: () => (p.firstChild as Text).appendData(' more'),
        element: () => p.after(document.createElement('p')),
        attribute: () => p.setAttribute('hidden', ''),
        around: () => document.body.classList.add('x'),
        shadow: () => shadow.firstElementChild?.append('!'),
        'style sheet': () => document.head.append(document.createElement('style')),
        'matches now': () => aside.classList.add('late'),
        'matches no more': () => aside.classList.remove('late'),
        removed: () => document.querySelector('main')?.remove(),
      }
      const steps: { [what: string]: string[] } = {}
      for (const [what, act] of Object.entries(acts)) {
        aside.append('not announced by itself')
        await new Promise((resolve) => setTimeout(resolve))
        act()
        steps[what] = await until('page:///text')
      }
      stop()
      pageKit.show('<main id="main">one</main><aside id="aside">x</aside>')
      const main = pageKit.changes(pageKit.page({ select: ['main'] }))
      const beside = pageKit.changes(pageKit.page({ select: ['aside'] })) // what comes to it comes to the other before
      document.getElementById('aside')?.setAttribute('title', 'x')
      document.getElementById('aside')?.append('x')
      await beside.until('page:///text')
      const elsewhere = main.seen.length
      document.getElementById('main')?.append('x')
      const inside = await main.until('page:///text')
      return { steps, elsewhere, inside }
    })
    for (const [what, seen] of Object.entries(got.steps)) {
      assert.deepEqual(
        seen.filter((uri) => content.includes(uri)),
        content,
        what,
      )
    }
    assert.equal(got.elsewhere, 0)
    assert.deepEqual(
      got.inside.filter((uri) => content.includes(uri)),
      content,
    )
  },
)

inBrowsers('selection, title and address are announced', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    pageKit.show('<main>some words</main>')
    const { until } = pageKit.changes(pageKit.page({ select: ['main'] }))
    const steps: string[][] = []
    getSelection()?.selectAllChildren(document.querySelector('main') as Element)
    steps.push(await until('page:///selection'))
    document.querySelector('main')?.append('!')
    steps.push(await until('page:///selection', 'page:///text'))
    const meta: [string, () => void][] = [
      [
        'title',
        () => {
          document.title = 'new'
        },
      ],
      ['pushState', () => history.pushState(null, '', '/next')],
      ['replaceState', () => history.replaceState(null, '', '/')],
      [
        'fragment',
        () => {
          location.hash = 'x'
        },
      ],
      ['back', () => history.back()],
      [
        'language',
        () => {
          document.documentElement.lang = 'de'
        },
      ],
    ]
    for (const [what, act] of meta) {
      act()
      const seen = await until('page:///meta')
      if (!seen.includes('page:///meta')) steps.push([what])
    }
    return steps
  })
  assert.deepEqual(got, [
    ['page:///selection'],
    ['page:///outline', 'page:///selection', 'page:///text'],
  ])
})

inBrowsers(
  'a storm of changes is ten announcements a second, the last of them after the last change',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      pageKit.show('<main></main>')
      const main = document.querySelector('main') as Element
      let now = 0
      let timers: { at: number; run: () => void }[] = []
      const pass = (ms: number) => {
        now += ms
        const due = timers.filter(({ at }) => at <= now)
        timers = timers.filter(({ at }) => at > now)
        for (const { run } of due) run()
      }
      performance.now = () => now
      globalThis.setTimeout = ((run: () => void, ms = 0) =>
        timers.push({ at: now + ms, run })) as never
      const source = pageKit.page({ select: ['main'], parts: ['text'] })
      const texts: (string | null)[] = [] // at each announcement
      source.watch?.(() => texts.push(main.textContent), pageKit.never)
      for (let i = 1; i <= 2000; i++) {
        main.textContent = `number ${i}`
        if (i % 20 !== 0) continue
        await Promise.resolve() // mutations are told
        pass(10)
      }
      const within = texts.length
      pass(100)
      return { within, texts, read: await pageKit.read('page:///text', source) }
    })
    assert.equal(got.within, 10)
    const texts = Array.from({ length: 10 }, (_, i) => `number ${20 + i * 200}`)
    assert.deepEqual(got.texts, [...texts, 'number 2000'])
    assert.equal(got.read, 'number 2000')
  },
)
