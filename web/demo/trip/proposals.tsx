/**
 * Stops that an assistant proposes, and about which the user decides: a tool whose calls are tasks, which wait as long
 * as that takes.
 */

import type { CallRequest, JsonSchema } from 'pagemcp'
import { useTool } from 'pagemcp/react'
import { useState } from 'react'
import type { Panel } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { texts } from './texts.ts'

interface Proposal {
  readonly place: string
  readonly nights: number
  /** Ends the proposal. */
  decide(accepted: boolean): void
}

/** How often a call that is no task says that it still waits, so that its client does too. */
const sayEvery = 10_000 // ms

interface Props {
  noted: Panel['noted']
  schema: JsonSchema
  accept(place: string, nights: number): void
}

export function Proposals({ noted, schema, accept }: Props) {
  const [proposals, setProposals] = useState<readonly Proposal[]>([])

  /** Resolves with the user's decision; rejects when the task ends before. */
  const decision = (place: string, nights: number, { signal }: CallRequest) =>
    new Promise<boolean>((resolve, reject) => {
      const leave = () => setProposals((now) => now.filter((one) => one !== proposal))
      const proposal: Proposal = {
        place,
        nights,
        decide(accepted) {
          leave()
          resolve(accepted)
        },
      }
      setProposals((now) => [...now, proposal])
      signal.addEventListener('abort', () => {
        leave()
        reject(signal.reason)
      })
    })
  const propose = async (args: unknown, request: CallRequest) => {
    const { place, nights } = args as { place: string; nights: number }
    const waits = () => request.progress(say(texts.waits, { place }))
    waits()
    const timer = request.isTask ? undefined : setInterval(waits, sayEvery)
    try {
      if (!(await decision(place, nights, request))) return say(texts.refused, { place })
    } finally {
      clearInterval(timer)
    }
    accept(place, nights)
    return say(texts.more, { place, count: nights })
  }
  useTool(
    'propose_stop',
    {
      title: texts.proposeTool,
      description: texts.proposeDescription,
      inputSchema: schema,
      annotations: { readOnlyHint: true }, // nothing changes before the user has decided
      task: 'optional',
    },
    noted('tool', 'propose_stop', propose),
  )

  return (
    <ul className="rows proposals" aria-live="polite">
      {proposals.map(({ place, nights, decide }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: equal proposals are alike
        <li key={i} className="row" data-by="assistant">
          <div className="place">{say(texts.proposes, { place, count: nights })}</div>
          <span className="bar">
            <button type="button" className="primary" onClick={() => decide(true)}>
              {texts.accept}
            </button>
            <button type="button" onClick={() => decide(false)}>
              {texts.refuse}
            </button>
          </span>
        </li>
      ))}
    </ul>
  )
}
