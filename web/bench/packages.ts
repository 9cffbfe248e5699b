/**
 * What each Go package contributes to engine.wasm: the code of its functions, and what the file loses with brotli
 * if these are empty. Data is one row for all: strings, types, and the table of lines, which grows with the code.
 */

import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { brotliCompressSync, constants } from 'node:zlib'
import type { Section } from './report.ts'

const root = join(import.meta.dirname, '../..')

/** Packages with less code are one row. */
const least = 8_000 // bytes

/** The engine's own packages, which are listed by their full names. */
const own = 'github.com/pagemcp/pagemcp/'

/** @param wasm - engine.wasm with the names of its functions */
export function measurePackages(wasm: Uint8Array): Section {
  const { bodies, names, data } = functions(wasm)
  const listed = execFileSync('go', ['list', '-deps', './wasm'], {
    cwd: root,
    env: { ...process.env, GOOS: 'js', GOARCH: 'wasm' },
    encoding: 'utf8',
  })
  // Names of functions have "_" for what WebAssembly tools do not like, and main for the program itself.
  const packages = listed
    .trim()
    .split('\n')
    .map((path): [string, string] => [
      `${(path === `${own}wasm` ? 'main' : path).replace(/[^A-Za-z0-9.]/g, '_')}.`,
      path,
    ])
    .sort(([a], [b]) => b.length - a.length)
  const byPackage = new Map<string, Body[]>()
  for (const body of bodies) {
    const name = (names.get(body.index) ?? '').replace(/^(?:type_\.|go_)[a-z]+\./, '')
    const path =
      packages.find(([prefix]) => name.startsWith(prefix))?.[1] ?? 'assembly and wrappers'
    byPackage.set(path, [...(byPackage.get(path) ?? []), body])
  }
  const sum = (some: readonly Body[]) => some.reduce((all, { to, from }) => all + to - from, 0)
  const small = [...byPackage].filter(([, some]) => sum(some) < least)
  for (const [path] of small) byPackage.delete(path)
  byPackage.set(
    `${small.length} smaller ones`,
    small.flatMap(([, some]) => some),
  )
  byPackage.set('data of all packages', [data])
  const whole = compressed(wasm)
  const rows = [...byPackage]
    .sort(([, a], [, b]) => sum(b) - sum(a))
    .map(([workload, some]) => {
      const brotli = (whole - compressed(without(wasm, some))) / 1_000
      return { workload, rounds: [{ code: sum(some) / 1_000, brotli }] }
    })
  return { name: 'packages of engine.wasm', unit: 'KB', rows }
}

/** A function: its index, and where its body is. */
interface Body {
  index: number
  from: number
  to: number
}

/** Bodies of functions are overwritten with one byte: equal ones take no room. */
function without(wasm: Uint8Array, bodies: readonly Body[]): Uint8Array {
  const copy = new Uint8Array(wasm) // slice of a Buffer is no copy
  for (const { from, to } of bodies) copy.fill(0, from, to)
  return copy
}

function compressed(bytes: Uint8Array): number {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 },
  }).length
}

/** Reads the sections of a module that name and contain its functions: WebAssembly 2.0, section 5.5. */
function functions(wasm: Uint8Array): {
  bodies: Body[]
  names: Map<number, string>
  data: Body
} {
  let at = 8 // after magic and version
  const number = () => {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = wasm[at++] as number
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
  }
  const decoder = new TextDecoder()
  const text = () => {
    const length = number()
    at += length
    return decoder.decode(wasm.subarray(at - length, at))
  }
  const bodies: Body[] = []
  const names = new Map<number, string>()
  let data: Body = { index: -1, from: 0, to: 0 }
  let imported = 0
  while (at < wasm.length) {
    const id = wasm[at++]
    const end = number() + at
    if (id === 2) {
      for (let left = number(); left > 0; left--) {
        text()
        text()
        if (wasm[at++] !== 0) throw new Error('an import is no function')
        number()
        imported++
      }
    } else if (id === 10) {
      const count = number()
      for (let index = imported; index < imported + count; index++) {
        const size = number()
        bodies.push({ index, from: at, to: at + size })
        at += size
      }
    } else if (id === 11) {
      data = { index: -1, from: at, to: end }
    } else if (id === 0 && text() === 'name') {
      while (at < end) {
        const kind = wasm[at++]
        const to = number() + at
        if (kind === 1) for (let left = number(); left > 0; left--) names.set(number(), text())
        at = to
      }
    }
    at = end
  }
  return { bodies, names, data }
}
