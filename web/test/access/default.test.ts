// Which pages ask if the app says nothing, and when an open page loads what decides.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccessOption } from '../../src/page-access.ts'
import { pageAccess } from '../../src/page-access.ts'

const own = (access?: AccessOption) =>
  pageAccess({ name: 'notes', access, setAccess() {}, changed() {}, report() {} })

/** As a document of this address sees it, with these entries of localStorage. */
function at(href: string | undefined, entries: { readonly [key: string]: string } = {}) {
  const location = href === undefined ? undefined : new URL(href)
  Object.assign(globalThis, {
    location,
    localStorage: { getItem: (key: string) => entries[key] ?? null },
  })
}

for (const [href, want] of [
  ['http://localhost:5173/', 'open'],
  ['http://notes.localhost/', 'ask'],
  ['http://tauri.localhost/', 'ask'],
  ['https://tauri.localhost/', 'ask'],
  ['tauri://localhost/', 'ask'],
  ['capacitor://localhost/', 'ask'],
  ['https://localhost/', 'ask'],
  ['http://127.0.0.1:8809/demo/', 'open'],
  ['http://127.8.9.10/', 'open'],
  ['http://[::1]:80/', 'open'],
  ['file:///android_asset/www/index.html', 'ask'],
  [undefined, 'open'],
  ['https://notes.example/', 'ask'],
  ['https://localhost.example/', 'ask'],
  ['https://127.0.0.1.example/', 'ask'],
  ['http://10.0.0.1/', 'ask'],
  ['http://[::2]/', 'ask'],
  ['chrome-extension://abc/index.html', 'ask'],
] as const) {
  test(`${href ?? 'no document'}: ${want}`, () => {
    at(href)
    assert.equal(mode(), want)
  })
}

test('another option is an error', () => {
  assert.throws(() => own('other' as 'open'), TypeError)
})

/** The mode without an option; an asking page begins to load, which this process cannot. */
function mode() {
  const { page, close } = own()
  close()
  return page.mode
}

test('a function of the app is a policy', () => {
  at('http://localhost/')
  const { page, asks, close } = own(() => 'ask')
  assert.deepEqual([page.mode, asks, page.app], ['policy', true, 'http://localhost notes'])
  close()
})

test('an open page with a denial or a pause serves nothing before it is loaded', () => {
  const key = 'pagemcp.access:notes'
  for (const [entries, want] of [
    [{ [key]: String(Date.now() + 60_000) }, true],
    [{ [key]: String(Date.now() - 1) }, false],
    [{ [key]: 'nonsense' }, true],
    [{ 'pagemcp.access:other': String(Date.now() + 60_000) }, false],
  ] as const) {
    at('http://localhost/', entries)
    const { asks, close } = own()
    close()
    assert.equal(asks, want, JSON.stringify(entries))
  }
})
