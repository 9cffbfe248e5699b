// A large document is read in many short tasks. The app runs between them, and may change what is read.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.pageKit

const page = serveKit('page/kit.ts')

/** In the page: a clock that each look moves by 5 ms, and tasks of the app, one after the other. */
const prepare = () => {
  let now = 0
  performance.now = () => {
    now += 5
    return now
  }
  const { getComputedStyle } = globalThis
  let looks = 0
  globalThis.getComputedStyle = (element, ...rest) => {
    if (element.localName === 'p') looks++
    if (element.localName === 'hr') globalThis.ends++
    return getComputedStyle(element, ...rest)
  }
  globalThis.appTasks = (act) => {
    const { port1, port2 } = new MessageChannel()
    let count = 0
    looks = globalThis.ends = 0
    port1.onmessage = () => {
      count++
      if (looks > 5) act?.()
      if (looks > 5) act = undefined
      port2.postMessage(undefined)
    }
    port2.postMessage(undefined)
    return { count: () => count, stop: () => port1.close(), isDone: () => act === undefined }
  }
  globalThis.paragraphs = (text) =>
    Array.from({ length: 100 }, (_, i) => `<p>${text}${i}</p>`).join('')
}

declare global {
  /** Calls `act` once, when some of the paragraphs have been read. */
  var appTasks: (act?: () => void) => { count(): number; stop(): void; isDone(): boolean }
  var paragraphs: (text: string) => string
  /** How many walks have come to the `<hr>` at the end. */
  var ends: number
}

inBrowsers('tasks of the app run while a large document is read', async ({ open }) => {
  const tab = await open(page.url())
  await tab.evaluate(prepare)
  const counts = await tab.evaluate(async () => {
    const counts: { [part: string]: number } = {}
    pageKit.show(`<main>${paragraphs('some text ')}<h1>title</h1></main>`)
    getSelection()?.setBaseAndExtent(document.querySelector('p') as Element, 0, document.body, 1)
    const words = paragraphs('word ').replaceAll(/<.*?>/g, ' ')
    for (const part of ['text', 'outline', 'selection', 'text of one element', 'painted']) {
      if (part === 'text of one element')
        pageKit.show(`<p style="height: 2em; overflow: hidden">${words}</p>`)
      if (part === 'painted')
        pageKit.show(`${'<hr>'.repeat(100)}<p style="color: #fff">white on white</p>`)
      const tasks = appTasks()
      await pageKit.read(`page:///${part.split(' ')[0]?.replace('painted', 'text')}`)
      tasks.stop()
      counts[part] = tasks.count()
    }
    return counts
  })
  for (const [part, count] of Object.entries(counts)) assert.ok(count >= 20, `${part}: ${count}`)
})

inBrowsers('what the app hides before the walk reaches it is not read', async ({ open }) => {
  const tab = await open(page.url())
  await tab.evaluate(prepare)
  const leaks = await tab.evaluate(async () => {
    const at = (i: number) => document.querySelectorAll('p')[i] as HTMLElement
    const hide: { [how: string]: () => void } = {
      itself: () => at(99).setAttribute('hidden', ''),
      'an element around it': () => document.querySelector('section')?.setAttribute('hidden', ''),
      'the rest of the document': () => document.querySelector('main')?.remove(),
      'as private': () => document.querySelector('main')?.setAttribute('data-mcp-private', ''),
      'in a place that is hidden': () =>
        document.querySelector('aside')?.append(...document.querySelectorAll('p')),
      'out of what may be read': () => document.body.append(at(99)),
      'by removing it': () => at(99).remove(),
      'by another text': () => {
        at(99).textContent = 'another'
      },
      'by scrolling': () => scrollTo(0, 400),
    }
    const wrong: string[] = []
    for (const [how, act] of Object.entries(hide)) {
      const style = how === 'by scrolling' ? 'height: 100px; overflow: clip' : ''
      pageKit.show(
        `<main><section style="${style}">${paragraphs('text ')}</section><aside hidden></aside></main><div style="height: 9999px">`,
      )
      scrollTo(0, 0)
      const tasks = appTasks(act)
      const text = await pageKit.read('page:///text', pageKit.page({ select: ['main'] }))
      tasks.stop()
      if (text.includes('text 99') || !tasks.isDone()) wrong.push(how)
    }
    return wrong
  })
  assert.deepEqual(leaks, [])
})

inBrowsers('what the app replaces meanwhile is read to its end', async ({ open }) => {
  const tab = await open(page.url())
  await tab.evaluate(prepare)
  const missing = await tab.evaluate(async () => {
    const change: { [how: string]: () => void } = {
      children: () => {
        const section = document.querySelector('section') as Element
        section.innerHTML = paragraphs('new ')
      },
      'the element that may be read': () => {
        const main = document.createElement('main')
        main.innerHTML = paragraphs('new ')
        document.querySelector('main')?.replaceWith(main)
      },
      'an element further on': () => {
        const last = document.querySelector('p:last-child') as Element
        last.textContent = 'new 99'
      },
      order: () =>
        document.querySelector('section')?.append(document.querySelector('p') as Element),
    }
    const wrong: string[] = []
    for (const [how, act] of Object.entries(change)) {
      pageKit.show(`<main><section>${paragraphs('old ')}</section></main>`)
      const tasks = appTasks(act)
      const text = await pageKit.read('page:///text', pageKit.page({ select: ['main'] }))
      tasks.stop()
      const last = how === 'order' ? 'old 99' : 'new 99'
      if (!text.includes(last) || !tasks.isDone()) wrong.push(how)
      if (how.startsWith('the element') && text.includes('old'))
        wrong.push(`${how}: the old one, too`)
    }
    return wrong
  })
  assert.deepEqual(missing, [])
})

inBrowsers(
  'reads during a walk share the next one, which ends with the last of them',
  async ({ open }) => {
    const tab = await open(page.url())
    await tab.evaluate(prepare)
    const got = await tab.evaluate(async () => {
      pageKit.show(`<main>${paragraphs('text ')}<hr></main>`)
      const main = document.querySelector('main') as Element
      const source = pageKit.page({ select: ['main'] })
      const read = (signal = pageKit.never) =>
        source.read('page:///text', { signal }).then(
          ([item]) => item?.text?.split('\n')[0],
          ({ name }) => name,
        )
      const during = async (act: (leave: () => void) => Promise<unknown>[]) => {
        const left = new AbortController()
        const first = read(left.signal)
        const others = Promise.withResolvers<unknown[]>()
        const tasks = appTasks(() => others.resolve(Promise.all(act(() => left.abort()))))
        const texts = [await first, ...(await others.promise)]
        tasks.stop()
        return { walks: ends, texts }
      }
      return {
        many: await during(() => {
          main.prepend('changed ')
          return Array.from({ length: 5 }, () => read())
        }),
        left: await during((leave) => {
          leave()
          return []
        }),
        next: await during((leave) => {
          const next = read()
          leave()
          return [next]
        }),
      }
    })
    assert.deepEqual(got.many, { walks: 2, texts: ['text 0', ...Array(5).fill('changed')] })
    assert.deepEqual(got.left, { walks: 0, texts: ['AbortError'] })
    assert.deepEqual(got.next, { walks: 1, texts: ['AbortError', 'changed'] })
  },
)
