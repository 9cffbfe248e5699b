/** Runs of the set as a table and as files. */

import { csvOf } from '../base/csv.ts'
import type { SetResult, SetRun } from './run-set.ts'

/** What must be received: codes, or `–` for no response. */
export const expectedText = ({ codes }: Pick<SetResult, 'codes'>): string =>
  codes.join(' / ') || '–'

/** What was received: a code, `result`, the reason for nothing, or `–` for no response. */
export function receivedText({ code, response, reason, status }: SetResult): string {
  const received = code ?? (response ? 'result' : reason || '–')
  return status === undefined || !response ? String(received) : `${received} (HTTP ${status})`
}

/** A message of the set, and what each server did with it; undefined: it was not sent to that one. */
export interface Line {
  one: SetResult
  received: readonly (SetResult | undefined)[]
  /** Whether the servers differ. */
  differs: boolean
}

/** The messages of all runs. HTTP has some that others do not have. */
export function linesOf(runs: readonly SetRun[]): Line[] {
  const longest = runs.toSorted((a, b) => b.results.length - a.results.length)[0]
  return (longest?.results ?? []).map((one) => {
    const received = runs.map(({ results }) => results.find(({ id }) => id === one.id))
    const reactions = received.map(
      (each) => each && `${each.verdict} ${each.code} ${each.response !== ''}`,
    )
    return { one, received, differs: new Set(reactions).size > 1 }
  })
}

/** @param nameOf - the name of a message by its id */
export function setJson(runs: readonly SetRun[], nameOf: (id: string) => string): string {
  const all = runs.map(({ results, started, ...run }) => ({
    ...run,
    date: new Date(started).toISOString(),
    messages: results.map((one) => ({
      id: one.id,
      name: nameOf(one.id),
      requirement: one.requirement,
      sent: one.text,
      ...(one.headers && { headers: Object.fromEntries(one.headers) }),
      expected: expectedText(one),
      received: receivedText(one),
      ...(one.response && { response: one.response }),
      verdict: one.verdict,
    })),
  }))
  return `${JSON.stringify(all, null, 2)}\n`
}

/** A line for each message, with the servers side by side. */
export const setCsv = (runs: readonly SetRun[], nameOf: (id: string) => string): string =>
  csvOf([
    [
      ...['id', 'name', 'requirement', 'sent', 'expected'],
      ...runs.flatMap(({ server }) => [`received: ${server}`, `verdict: ${server}`]),
    ],
    ...linesOf(runs).map(({ one, received }) => [
      ...[one.id, nameOf(one.id), one.requirement, one.text, expectedText(one)],
      ...received.flatMap((each) => [each && receivedText(each), each?.verdict]),
    ]),
  ])
