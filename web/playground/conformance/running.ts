/** The current run and its result. A run goes on while its dialog is closed; there is one at a time. */

import { type Signal, signal } from '@preact/signals'
import type { Dialer } from '../connections/transport.ts'
import { store } from '../messages/log.ts'
import type { Revision } from '../protocol/revisions.ts'
import type { Requirements } from './report.ts'
import { type Report, runChecks } from './run.ts'
import { runSet, type SetRun } from './run-set.ts'

/** The part of the current run that is done; undefined: none runs. */
export const progress: Signal<number | undefined> = signal(undefined)
export const report: Signal<Report | undefined> = signal(undefined)

let running: AbortController | undefined

export async function startRun(dialer: Dialer, mayCall: boolean): Promise<void> {
  if (running) return
  running = new AbortController()
  progress.value = 0
  report.value = undefined
  try {
    report.value = await runChecks(dialer, {
      store,
      mayCall,
      signal: running.signal,
      progressed(part) {
        progress.value = part
      },
    })
  } finally {
    running = undefined
    progress.value = undefined
  }
}

export const stopRun = (): void => running?.abort()

const loaded = new Map<string, Promise<unknown>>()

/** A JSON file beside this one, which is kept once it is loaded. */
function load<T>(name: string): Promise<T> {
  const before = loaded.get(name)
  if (before) return before as Promise<T>
  const loading = fetch(new URL(`conformance/${name}`, document.baseURI)).then((response) => {
    if (!response.ok) throw new Error(`${name}: status ${response.status}`)
    return response.json() as Promise<T>
  })
  loaded.set(name, loading)
  loading.catch(() => loaded.delete(name))
  return loading
}

/** The texts of the requirements. */
export const loadRequirements = () => load<Requirements>('requirements.json')

/** Names of the malformed messages, by id and language. */
export type Names = { readonly [id: string]: { readonly [language: string]: string } }
export const loadNames = () => load<Names>('malformed.json')

/** The run of the set of malformed messages, one for each server; they stay while the dialog is closed. */
export const setRuns: Signal<readonly SetRun[]> = signal([])

/** Sends the set to each server, one after the other. One without an address has its name in the result. */
export async function startSet(
  servers: readonly { dialer: Dialer; name: string }[],
  revision: Revision,
): Promise<void> {
  if (running) return
  running = new AbortController()
  progress.value = 0
  setRuns.value = []
  try {
    for (const [index, { dialer, name }] of servers.entries()) {
      const run = await runSet(dialer, revision, {
        store,
        signal: running.signal,
        progressed(part) {
          progress.value = (index + part) / servers.length
        },
      })
      setRuns.value = [...setRuns.peek(), { ...run, server: dialer.url || name }]
    }
  } finally {
    running = undefined
    progress.value = undefined
  }
}
