/**
 * Runs within a tab, in a world of its own that the page's scripts cannot reach. Passes messages between webmcp-page.ts and the
 * engine: a list a quarter of a second, one answer for each call, and nothing that is too long.
 */

import { fromPage, maxMessage, type ToPage, toolsPort, toPage } from './wire.ts'

const listInterval = 250 // ms

const world = globalThis as { isRelaying?: boolean }

function relay() {
  const port = chrome.runtime.connect({ name: toolsPort })
  const over = new AbortController()
  const open = new Set<number>() // calls without an answer
  let list: unknown
  let next = 0
  let isWaiting = false

  const tell = (message: ToPage) =>
    document.dispatchEvent(new CustomEvent(toPage, { detail: JSON.stringify(message) }))
  const sendList = () => {
    isWaiting = false
    next = performance.now() + listInterval
    if (!over.signal.aborted) port.postMessage(list)
  }
  const received = ({ detail }: CustomEvent) => {
    if (typeof detail !== 'string' || detail.length > maxMessage) return
    const message = JSON.parse(detail)
    if (typeof message?.id === 'number') {
      if (open.delete(message.id)) port.postMessage(message)
      return
    }
    list = message
    const wait = next - performance.now()
    if (isWaiting) return
    isWaiting = wait > 0
    if (isWaiting) setTimeout(sendList, wait)
    else sendList()
  }

  document.addEventListener(fromPage, (event) => received(event as CustomEvent), over)
  port.onMessage.addListener((message: ToPage) => {
    if (message.call) open.add(message.call.id)
    tell(message)
  })
  port.onDisconnect.addListener(() => {
    over.abort()
    world.isRelaying = false
    tell({ isOver: true })
  })
  tell({})
}

if (!world.isRelaying) {
  world.isRelaying = true
  relay()
}
