// Changes of the page are noticed: of its content, its selection, and where it is.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { servePage } from './serving.ts'

const page = servePage()
const content = ['page:///markdown', 'page:///outline', 'page:///text']

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
      const { count, stop: end } = pageKit.changes(pageKit.page({ select: ['main'] }))
      aside.append('x')
      aside.title = 'x'
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 200)))
      const elsewhere = count()
      end()
      stop()
      return { steps, elsewhere }
    })
    for (const [what, seen] of Object.entries(got.steps)) {
      assert.deepEqual(
        seen.filter((uri) => content.includes(uri)),
        content,
        what,
      )
    }
    assert.equal(got.elsewhere, 0)
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
    [...content.slice(0, 2), 'page:///selection', 'page:///text'],
  ])
})

inBrowsers(
  'a storm of changes is a few announcements, the last of them after the last change',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      pageKit.show('<main></main>')
      const main = document.querySelector('main') as Element
      const source = pageKit.page({ select: ['main'], parts: ['text'] })
      let count = 0
      let read: Promise<string> | undefined
      const changed = new AbortController()
      source.watch?.(() => {
        count++
        read = pageKit.read('page:///text', source)
      }, changed.signal)
      const started = performance.now()
      for (let i = 1; i <= 2000; i++) {
        main.textContent = `number ${i}`
        if (i % 20 === 0) await new Promise((resolve) => setTimeout(resolve))
      }
      const took = performance.now() - started
      for (;;) {
        if ((await read) === 'number 2000') break
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return { count, most: took / 100 + 2 }
    })
    assert.ok(got.count <= got.most, `${got.count} announcements, at most ${got.most}`)
  },
)

inBrowsers('what nobody watches is not observed', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    pageKit.show('<main>x</main>')
    const original = History.prototype.pushState
    const { count, stop } = pageKit.changes(pageKit.page({ select: ['main'] }))
    stop()
    document.querySelector('main')?.append('y')
    history.pushState(null, '', '/gone')
    await new Promise((resolve) => setTimeout(resolve, 150))
    return { count: count(), restored: History.prototype.pushState === original }
  })
  assert.deepEqual(got, { count: 0, restored: true })
})
