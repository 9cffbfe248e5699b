/**
 * Which browsers a test file needs. Pages that behave alike run in Chromium; Firefox runs those whose behaviour depends on
 * the browser. With `PAGEMCP_ALL=true`, as in `make test-all`, each test runs in both.
 */

import { relative } from 'node:path'
import { type BrowserName, browserNames } from './launch.ts'

/** Below web/test: what runs in Firefox each time, and what of the browser it depends on. */
export const inFirefox: { readonly [start: string]: string } = {
  'attack/': 'origins, frames, content security policies and what is hidden on a page',
  'caches/': 'the Cache API and its events',
  'canary/': 'what leaves a page, by whatever way the browser has',
  'client/': 'ports between windows and frames',
  'core/browser/': 'Workers, WebAssembly, sockets, WebCrypto and content security policies',
  'demo/serving.test.ts': 'locks and sockets of a page that is frozen or in the background',
  'e2e/faults.test.ts': 'the back/forward cache, and how soon the browser opens a socket again',
  'e2e/hosted.test.ts': 'TLS and join tokens',
  'e2e/names.test.ts': 'Web Locks and sessionStorage of tabs that are copied or opened again',
  'faults/': 'the end of Workers, reloads, frozen tabs and sockets that are refused',
  'harness/': 'the harness itself',
  'idb/': 'IndexedDB: order of keys, upgrades, versions and errors',
  'mcp-b/': 'window messages between origins',
  'opfs/': 'the file system of the origin, and its observers',
  'page/': 'selection, computed styles and what a user sees',
  'playground/apps/': 'sandboxed frames, and what reaches the network from them',
  'playground/shell/embed.test.ts': 'frames of other ports',
  'playground/shell/hostile.test.ts': 'Trusted Types, and what an element runs',
  'playground/shell/keyboard.test.ts': 'focus, popovers and dialogs',
  'playground/shell/leaving.test.ts': 'parts that load while the page is left',
  'playground/shell/offline.test.ts': 'service workers',
  'playground/timeline/archive-browser.test.ts': 'IndexedDB in the playground',
  'sources/': 'events of documents',
  'storage/': 'web storage and its events',
  'tabs/': 'Web Locks, BroadcastChannel and lifecycle events',
}

/** Whether all combinations are tested, as in `make test-all`: languages, themes and widths, too. */
export const isWhole = process.env.PAGEMCP_ALL === 'true'

/** @param file - the path of a test file; default: the one that runs */
export function platforms(
  file: string = process.argv[1] ?? '',
  all: boolean = isWhole,
): readonly BrowserName[] {
  const name = relative(`${import.meta.dirname}/..`, file)
  const both = all || Object.keys(inFirefox).some((start) => name.startsWith(start))
  return both ? browserNames : ['chromium']
}
