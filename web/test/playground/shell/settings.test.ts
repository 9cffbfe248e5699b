import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setting } from '../../../playground/base/settings.ts'

const prefix = 'pagemcp.playground.'

/** Puts a storage in place for one test, since Node has none. */
function withStorage(run: (stored: Map<string, string>) => void): void {
  const stored = new Map<string, string>()
  const own = Object.getOwnPropertyDescriptor(globalThis, 'localStorage')
  Object.defineProperty(globalThis, 'localStorage', {
    configurable: true,
    value: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, value: string) => stored.set(key, value),
    },
  })
  try {
    run(stored)
  } finally {
    if (own) Object.defineProperty(globalThis, 'localStorage', own)
    else Reflect.deleteProperty(globalThis, 'localStorage')
  }
}

test('a window writes only what it changed of a record: another one keeps its own', () => {
  withStorage((stored) => {
    const here = setting('merged', { clock: 'wall', hosts: [] as string[] })
    const there = setting('merged', { clock: 'wall', hosts: [] as string[] })
    there.value = { ...there.peek(), hosts: ['a.example'] }
    here.value = { ...here.peek(), clock: 'start' }
    assert.deepEqual(JSON.parse(stored.get(`${prefix}merged`) ?? ''), {
      clock: 'start',
      hosts: ['a.example'],
    })
    assert.deepEqual(here.peek().hosts, [], 'windows agree at the next load')
  })
})

test('members of a stored record that have another shape are ignored, the others are not', () => {
  withStorage((stored) => {
    const fallback = { clock: 'wall', hosts: ['own'], sizes: { explore: 420, inspect: 400 } }
    stored.set(
      `${prefix}damaged`,
      '{"clock":1,"hosts":{"length":1},"sizes":{"explore":300,"inspect":"wide"}}',
    )
    assert.deepEqual(setting('damaged', fallback).peek(), {
      ...fallback,
      sizes: { explore: 300, inspect: 400 },
    })
    for (const text of ['null', '[]', '"x"', '{']) {
      stored.set(`${prefix}damaged`, text)
      assert.deepEqual(setting('damaged', fallback).peek(), fallback, text)
    }
  })
})
