/**
 * Which browsers a test file needs. Pages that behave alike run in Chromium; Firefox runs those whose behaviour depends on
 * the browser. Single tests that behave alike in such a file have `alike: true`. With `PAGEMCP_ALL=true`, as in `make test-all`, each test runs in both.
 */

import { relative } from 'node:path'
import { type BrowserName, browserNames } from './launch.ts'
import { isWhole } from './whole.ts'

/** Below web/test: what runs in Firefox each time, and what of the browser it depends on. */
export const inFirefox: { readonly [start: string]: string } = {
  'access/': 'the top layer, Web Locks, IndexedDB and BroadcastChannel over tabs',
  'attack/': 'origins, frames, content security policies and what is hidden on a page',
  'client/': 'ports between windows and frames',
  'core/browser/': 'Workers, WebAssembly, sockets, WebCrypto and content security policies',
  'demo/serving.test.ts': 'locks and sockets of a page that is frozen or in the background',
  'e2e/faults.test.ts': 'the back/forward cache, and how soon the browser opens a socket again',
  'e2e/names.test.ts': 'Web Locks and sessionStorage of tabs that are copied or opened again',
  'faults/': 'the end of Workers, reloads, frozen tabs and sockets that are refused',
  'harness/': 'the harness itself',
  'idb/': 'IndexedDB: order of keys, upgrades, versions and errors',
  'page/': 'selection, computed styles and what a user sees',
  'playground/apps/': 'sandboxed frames, and what reaches the network from them',
  'playground/shell/embed.test.ts': 'frames of other ports',
  'playground/shell/keyboard.test.ts': 'focus, popovers and dialogs',
  'playground/shell/leaving.test.ts': 'parts that load while the page is left',
  'playground/timeline/archive-browser.test.ts': 'IndexedDB in the playground',
  'storage/': 'web storage and its events',
  'tabs/': 'Web Locks, BroadcastChannel and lifecycle events',
}

// Without an entry, for it runs code of ours that is the same in both: sources/ (what they hear of the browser is in the directory of each), canary/ (the ways out of a page are those of
// attack/crawl.test.ts and playground/apps/), e2e/hosted.test.ts (a socket over TLS is the browser's), tasks/ (IndexedDB and Web
// Locks over reloads and tabs are those of access/tabs.test.ts and idb/).

/** Of these: what runs in Firefox in `make test-all` only, and why that is enough. */
export const alike: { readonly [start: string]: string } = {
  'access/day.test.ts':
    'how often our code asks; the locks, storage and clicks are those of access/tabs.test.ts and access/dialog.test.ts',
  'access/engine.test.ts': 'answers of the engine; the question is that of access/dialog.test.ts',
  'access/hosted-ways.test.ts':
    'decisions of the engine and the gateway, as in access/ways.test.ts',
  'access/matrix.test.ts':
    'decisions of the engine about each method; the table of decisions over tabs is that of access/tabs.test.ts',
  'access/ways.test.ts': 'decisions of the engine; the page at a gateway is that of core/browser/',
  'attack/consent.test.ts':
    'a question of the playground before the first byte, which no browser decides',
  'attack/invitation.test.ts':
    'decisions of our code about a link; its fragment and its storage are those of attack/port.test.ts and core/browser/join.test.ts',
  'attack/metadata.test.ts': 'texts that our code cuts and marks',
  'attack/tabs.test.ts':
    'what our code takes from messages of other tabs; the channel between tabs is that of tabs/',
  'attack/templates.test.ts': 'limits of the engine',
  'core/browser/lifecycle.test.ts':
    'abort and unmount in our code; Workers and sockets that end are those of core/browser/ending.test.ts and faults/worker.test.ts',
  'core/browser/token.test.ts': 'tokens, and TLS as in e2e/hosted.test.ts',
  'faults/down.test.ts':
    'answers of a page whose engine is down; a Worker that ends is that of faults/worker.test.ts',
  'faults/gateway.test.ts':
    'restarts of the gateway; the page that dials again is that of e2e/faults.test.ts',
  'faults/link.test.ts':
    'timers of our code, by a clock that the test sets; sockets that the browser ends are those of e2e/faults.test.ts',
  'faults/reopen.test.ts':
    'subscribers of a name, at the gateway; how a browser opens a tab again is in e2e/names.test.ts',
  'faults/versions.test.ts': 'numbers of versions, compared by our code',
  'idb/paging.test.ts': 'cursors of our code over the ranges of idb/ranges.test.ts',
  'idb/properties.test.ts':
    'random values through the code of idb/read.test.ts and idb/ranges.test.ts',
  'idb/read.test.ts':
    'what our code makes of records; order of keys, versions and errors are those of idb/ranges.test.ts and idb/upgrade.test.ts',
}

/** Below web/test: files that `make test` leaves to `make test-all`, and what shows the same in it. Named on the command line, they run. */
export const repeats: { readonly [file: string]: string } = {
  'access/day.test.ts':
    'a day of questions; when each is asked is in access/tabs.test.ts and access/grants.test.ts',
  'e2e/skills.test.ts':
    'skills of all demos at once; those of one page, and of two at a gateway, are in conformance/ and core/skills.test.ts',
  'hosted/conformance.test.ts':
    'the official suite at one hosted node; hosted/cluster.test.ts has it at three, conformance/ without tokens',
}

/** @param file - the path of a test file; default: the one that runs */
export function platforms(
  file: string = process.argv[1] ?? '',
  all: boolean = isWhole,
): readonly BrowserName[] {
  const name = relative(`${import.meta.dirname}/..`, file)
  const isIn = (table: object) => Object.keys(table).some((start) => name.startsWith(start))
  const both = all || (isIn(inFirefox) && !isIn(alike))
  return both ? browserNames : ['chromium']
}
