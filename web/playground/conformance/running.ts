/** The current run and its report. A run goes on while the dialog is closed. */

import { type Signal, signal } from '@preact/signals'
import type { Dialer } from '../connections/transport.ts'
import { store } from '../messages/log.ts'
import type { Requirements } from './report.ts'
import { type Report, runChecks } from './run.ts'

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

let requirements: Promise<Requirements> | undefined

/** The texts of the requirements. */
export function loadRequirements(): Promise<Requirements> {
  requirements ??= fetch(new URL('conformance/requirements.json', document.baseURI)).then(
    (response) => {
      if (!response.ok) throw new Error(`requirements.json: status ${response.status}`)
      return response.json() as Promise<Requirements>
    },
  )
  requirements.catch(() => {
    requirements = undefined
  })
  return requirements
}
