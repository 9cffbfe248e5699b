// Reading has no effect on the page, and reads all of it.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.pageKit

const page = serveKit('page/kit.ts')

inBrowsers(
  'reading changes nothing, asks no network, and runs nothing of the app',
  async ({ open }) => {
    const tab = await open(page.url())
    await tab.evaluate(() => pageKit.read('page:///text')) // the first read loads the code for it
    await tab.evaluate(() => {
      // Everything that an app may have laid in wait.
      const trap = (target: object, names: string[]) => {
        for (const name of names) {
          Object.defineProperty(target, name, {
            configurable: true,
            get() {
              Object.assign(globalThis, {
                trapped: [...((globalThis as never as { trapped?: string[] }).trapped ?? []), name],
              })
              return undefined
            },
          })
        }
      }
      class Own extends HTMLElement {
        static observedAttributes = ['class', 'style', 'hidden']
        attributeChangedCallback() {
          Object.assign(globalThis, { trapped: ['callback'] })
        }
      }
      customElements.define('own-element', Own)
      trap(Own.prototype, [
        'children',
        'childNodes',
        'textContent',
        'innerText',
        'shadowRoot',
        'hidden',
        'title',
        'value',
        'localName',
        'firstChild',
        'getAttribute',
        'getBoundingClientRect',
        'checkVisibility',
        'labels',
        'matches',
        'closest',
        'style',
      ])
      pageKit.show(`<main tabindex="0"><own-element>own</own-element><p id="p">some words</p>
      <form><label>Name <input id="field" name="childNodes" value="x"></label></form>
      <img src="/missing.png?1" loading="lazy" style="margin-top: 9000px"><div id="box" style="height: 40px; overflow: auto"><p>a</p><p>b</p><p>c</p></div>
      <details ontoggle="trapped = ['toggle']"><summary>s</summary>d</details></main>`)
      const field = document.getElementById('field') as HTMLInputElement
      trap(field, ['value', 'labels', 'type', 'parentNode'])
      trap(document.querySelector('own-element') as Element, [
        'nodeType',
        'parentElement',
        'isConnected',
      ])
      trap(document, [
        'title',
        'body',
        'head',
        'documentElement',
        'activeElement',
        'querySelectorAll',
      ])
    })
    const requests: string[] = []
    tab.on('request', (request) => {
      if (!request.url().startsWith('data:')) requests.push(request.url()) // Firefox has fonts of its own
    })
    const got = await tab.evaluate(async () => {
      const doc = <T>(name: keyof Document) => Reflect.get(Document.prototype, name, document) as T
      const box = document.getElementById('box') as Element
      box.scrollTop = 13
      scrollTo(0, 77)
      document.getElementById('field')?.focus({ preventScroll: true })
      const p = document.getElementById('p')?.firstChild as Text
      getSelection()?.setBaseAndExtent(p, 2, p, 6)
      const events: string[] = []
      const types =
        'focusin focusout scroll selectionchange toggle input change beforetoggle resize load error securitypolicyviolation'
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      for (const type of types.split(' ')) addEventListener(type, () => events.push(type), true)
      const mutations: MutationRecord[] = []
      const observer = new MutationObserver((records) => mutations.push(...records))
      observer.observe(document, {
        subtree: true,
        childList: true,
        attributes: true,
        characterData: true,
      })
      const state = () => ({
        html: doc<HTMLElement>('documentElement').outerHTML,
        active: doc<Element>('activeElement')?.id,
        scroll: [scrollX, scrollY, box.scrollTop],
        selection: [
          getSelection()?.anchorOffset,
          getSelection()?.focusOffset,
          getSelection()?.rangeCount,
        ],
        entries: performance.getEntriesByType('resource').length,
        globals: Object.keys(globalThis).length,
        history: history.length,
      })
      const before = state()
      const source = pageKit.page({ select: ['body'] })
      const { resources } = await source.list(undefined, { pageSize: 9, signal: pageKit.never })
      for (let round = 0; round < 3; round++) {
        for (const { uri } of resources) {
          await pageKit.read(uri, source)
        }
      }
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)))
      mutations.push(...observer.takeRecords())
      const { trapped } = globalThis as never as { trapped?: string[] }
      return { before, after: state(), events, mutations: mutations.length, trapped }
    })
    assert.deepEqual(got.after, got.before)
    assert.deepEqual([got.events, got.mutations, got.trapped], [[], 0, undefined])
    assert.deepEqual(requests, [])
  },
)
