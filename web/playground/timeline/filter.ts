/**
 * The grammar of the timeline's filter. All terms must match; `-` negates a term.
 *
 *     method:resources/*   uri:notes*    with `*` the whole text, otherwise any part
 *     dir:in  client:A  kind:error  status:waiting  framing:sse    several values by comma
 *     id:3  code:-32602
 *     >50ms  <2s  size>1k  size<200
 *     at:1.5s..3s  at:..80ms  at:2s              in progress then, since the first message
 *     milk  "two words"                  anywhere in the message, in any case
 *
 * Invalid terms are reported with their position, and ignored.
 */

import type { Key } from '../base/i18n.ts'
import type { Store, Times } from '../messages/store.ts'
import { statusOf } from './status.ts'

/** Whether a row matches. */
export type Test = (row: number) => boolean

/** A term with an error. Positions are UTF-16 code units from 0. */
export interface FilterProblem {
  from: number
  to: number
  key: Key
  params: Readonly<Record<string, string>>
}

export interface Filter {
  /** Undefined: every row matches. */
  compile(store: Store, connectionOf: (letter: string) => number | undefined): Test | undefined
  readonly problems: readonly FilterProblem[]
  /** Whether the response may change the result for its request. */
  readonly looksAtAnswers: boolean
}

type Maker = (store: Store, connectionOf: (letter: string) => number | undefined) => Test

const choices: Readonly<Record<string, readonly string[]>> = {
  dir: ['in', 'out', 'world'],
  kind: ['request', 'notification', 'result', 'error', 'batch', 'broken', 'world'],
  status: [
    'ok',
    'error',
    'failed',
    'input',
    'task',
    'waiting',
    'cancelled',
    'unanswered',
    'broken',
  ],
  framing: ['port', 'ws', 'http', 'sse', 'world'],
}

/** The keys before a colon, for help and error texts. */
export const filterKeys = [
  'method',
  'uri',
  'dir',
  'client',
  'kind',
  'status',
  'framing',
  'id',
  'code',
  'at',
] as const

// Beginnings of terms. All patterns are sticky.
const lead = /\s*(-?)/y
const measured = /(size|ms)?([<>])(\S*)/iy
const keyword = /([a-z]+):/iy
const quotes = /"([^"]*)("?)/y
const bare = /\S*/y

/** Parses a filter. Never throws. */
export function parseFilter(text: string): Filter {
  const makers: Maker[] = []
  const problems: FilterProblem[] = []
  let looksAtAnswers = false
  let at = 0
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at
    const found = pattern.exec(text)
    if (found) at = pattern.lastIndex
    return found
  }
  while (at < text.length) {
    const minus = take(lead)?.[1]
    const from = at
    const wrong: Wrong = (key, params = {}) => problems.push({ from, to: at, key, params })
    const value = () => {
      const quoted = take(quotes)
      if (quoted?.[2] === '') wrong('timeline.filterQuote')
      return quoted ? (quoted[1] as string) : (take(bare)?.[0] ?? '')
    }
    const measuring = take(measured)
    // `http://host` is text, not a key.
    const key = measuring || isAddress(text, at) ? undefined : take(keyword)?.[1]?.toLowerCase()
    const times = key === 'at' ? rangeOf(value(), wrong) : undefined
    const maker = measuring
      ? measure(measuring, wrong)
      : key === 'at'
        ? times && during(times)
        : key
          ? keyed(key, value(), wrong)
          : contains(value())
    if (!maker) continue
    if (times || key === 'status' || (measuring && measuring[1] !== 'size')) looksAtAnswers = true
    makers.push(minus ? not(maker) : maker)
  }
  return {
    problems,
    looksAtAnswers,
    compile(store, connectionOf) {
      const tests = makers.map((make) => make(store, connectionOf))
      if (tests.length < 2) return tests[0]
      return (row) => {
        for (const test of tests) if (!test(row)) return false
        return true
      }
    },
  }
}

const isAddress = (text: string, at: number) => /^[a-z]+:\/\//i.test(text.slice(at, at + 40))

type Wrong = (key: Key, params?: Record<string, string>) => void

/** Negates a term. */
function not(make: Maker): Maker {
  return (...given) => {
    const test = make(...given)
    return (row) => !test(row)
  }
}

function keyed(key: string, value: string, wrong: Wrong): Maker | undefined {
  if (!(filterKeys as readonly string[]).includes(key)) {
    wrong('timeline.filterKey', { key, known: filterKeys.join(', ') })
    return undefined
  }
  if (value === '') return undefined // still being typed
  if (key === 'method') return (store) => words(glob(value), (row) => store.method(row))
  if (key === 'uri') return (store) => words(glob(value), (row) => store.target(row))
  if (key === 'id') {
    return (store) => (row) => store.id(row) === value || store.id(row) === `"${value}"`
  }
  if (key === 'code') {
    const code = Number(value)
    if (Number.isInteger(code)) return (store) => (row) => store.code(row) === code
    wrong('timeline.filterNumber', { value })
    return undefined
  }
  const values = value.split(',').filter(Boolean)
  if (key === 'client') {
    return (store, connectionOf) => {
      const connections = values.map((one) =>
        /^world$/i.test(one) ? 0 : (connectionOf(one) ?? -1),
      )
      return (row) => connections.includes(store.connection(row))
    }
  }
  const known = choices[key] as readonly string[]
  const stranger = values.find((one) => !known.includes(one.toLowerCase()))
  if (stranger !== undefined) {
    wrong('timeline.filterChoice', { key, value: stranger, known: known.join(', ') })
    return undefined
  }
  const among = new Set(values.map((one) => one.toLowerCase()))
  if (key === 'dir') return (store) => (row) => among.has(store.direction(row))
  if (key === 'kind') return (store) => (row) => among.has(store.kind(row))
  if (key === 'framing') return (store) => (row) => among.has(store.framing(row))
  return (store) => (row) => among.has(statusOf(store, row))
}

const units: Readonly<Record<string, number>> = {
  '': 1,
  ms: 1,
  s: 1000,
  b: 1,
  k: 1000,
  kb: 1000,
  m: 1e6,
  mb: 1e6,
}

/** `>50ms` and `size>1k`. Rows without a latency match neither comparison. */
function measure([, what, sign, value = '']: readonly string[], wrong: Wrong): Maker | undefined {
  const [, digits, unit = ''] = /^=?(\d+(?:\.\d+)?)([a-z]*)$/i.exec(value) ?? []
  const factor = units[unit.toLowerCase()]
  if (digits === undefined || factor === undefined) {
    if (value !== '') wrong('timeline.filterNumber', { value: `${sign}${value}` })
    return undefined
  }
  const bound = Number(digits) * factor
  if (what?.toLowerCase() === 'size') {
    return sign === '>'
      ? (store) => (row) => store.size(row) > bound
      : (store) => (row) => store.size(row) < bound
  }
  return sign === '>'
    ? (store) => (row) => store.latency(row) > bound
    : (store) => (row) => store.latency(row) < bound
}

const time = String.raw`(?:(\d+(?:\.\d+)?)(ms|s)?)?`
const times = new RegExp(`^${time}(\\.\\.${time})?$`, 'i')

/** `1.5s..3s`; either end may be missing, and one time alone is a moment. */
function rangeOf(value: string, wrong: Wrong): Times | undefined {
  if (value === '') return undefined
  const [, first, firstUnit, more, last, lastUnit] = times.exec(value) ?? []
  if (first === undefined && last === undefined) {
    wrong('timeline.filterNumber', { value })
    return undefined
  }
  const ms = (digits: string | undefined, unit = '', none: number) =>
    digits === undefined ? none : Number(digits) * (units[unit.toLowerCase()] as number)
  const from = ms(first, firstUnit, 0)
  return { from, to: more === undefined ? from : ms(last, lastUnit, Number.POSITIVE_INFINITY) }
}

/** What was in progress in a range: a request and its response pass both. */
const during =
  ({ from, to }: Times): Maker =>
  (store) =>
  (row) => {
    const start = store.time(0)
    const times = store.times(row)
    return times.from - start <= to && times.to - start >= from
  }

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** With `*` the pattern matches the whole text, without it any part. */
const glob = (value: string) =>
  value.includes('*')
    ? new RegExp(`^${value.split('*').map(escaped).join('.*')}$`, 'is')
    : new RegExp(escaped(value), 'i')

/** Tests a column with few different values: each value once. */
function words(pattern: RegExp, of: (row: number) => string): Test {
  const known = new Map<string, boolean>()
  return (row) => {
    const word = of(row)
    let passes = known.get(word)
    if (passes === undefined) {
      passes = word !== '' && pattern.test(word)
      known.set(word, passes)
    }
    return passes
  }
}

/** Searches the text, and the method and target of the request, which a response lacks. */
function contains(value: string): Maker | undefined {
  if (value === '') return undefined
  const pattern = new RegExp(escaped(value), 'i')
  return (store) => {
    const inMethod = words(pattern, (row) => store.method(row))
    const inTarget = words(pattern, (row) => store.target(row))
    return (row) => inMethod(row) || inTarget(row) || pattern.test(store.raw(row))
  }
}
