/** The components; each registers its own resources, tools and prompts. */

import { elicit, ToolError } from 'pagemcp'
import { usePageMcpPrompt, usePageMcpResource, usePageMcpTool } from 'pagemcp/react'
import { type FormEvent, useState } from 'react'
import type { Panel } from '../shared/panel.ts'
import {
  added,
  beginning,
  lengthened,
  maxNights,
  maxStops,
  nightsOf,
  type Plan,
  planUri,
  removed,
  same,
} from './plan.ts'

const stopSchema = {
  type: 'object',
  properties: {
    place: { type: 'string', minLength: 1, maxLength: 60, description: 'A town' },
    nights: { type: 'integer', minimum: 1, maximum: maxNights },
  },
  required: ['place', 'nights'],
  additionalProperties: false,
} as const

const placeSchema = {
  type: 'object',
  properties: { place: { type: 'string' } },
  required: ['place'],
  additionalProperties: false,
} as const

export function Trip({ noted }: { noted: Panel['noted'] }) {
  const [plan, setPlan] = useState<Plan>(beginning)

  usePageMcpResource(
    {
      uri: planUri,
      name: 'plan',
      title: 'Plan',
      description: 'The stops of the trip, in their order, with nights',
      mimeType: 'application/json',
    },
    plan,
  )
  usePageMcpTool(
    {
      name: 'add_stop',
      title: 'Add a stop',
      description: 'Adds a stop at the end of the trip, or nights to a stop that is there',
      inputSchema: stopSchema,
    },
    noted('tool', 'add_stop', (args) => {
      const { place, nights } = args as { place: string; nights: number }
      if (plan.length >= maxStops) throw new ToolError(`The trip has ${maxStops} stops already`)
      setPlan((now) => added(now, { place: place.trim(), nights, by: 'assistant' }))
      return `${place}: ${nights} ${nights === 1 ? 'night' : 'nights'} more`
    }),
  )
  usePageMcpTool(
    {
      name: 'remove_stop',
      title: 'Remove a stop',
      description: 'Takes a stop out of the trip, after asking the person at the assistant',
      inputSchema: placeSchema,
      annotations: { destructiveHint: true },
    },
    noted('tool', 'remove_stop', (args, request) => {
      const { place } = args as { place: string }
      if (!plan.some((stop) => same(stop.place, place))) throw new ToolError(`No stop in ${place}`)
      const { sure } = request.need({
        sure: elicit(`Take ${place} out of the trip?`, {
          type: 'object',
          properties: { ok: { type: 'boolean', title: 'Remove it', default: false } },
          required: ['ok'],
        }),
      })
      if (sure.action !== 'accept' || sure.content?.ok !== true) return 'It stays.'
      setPlan((now) => now.filter((stop) => !same(stop.place, place)))
      return `${place} is out of the trip`
    }),
  )
  usePageMcpPrompt(
    {
      name: 'pack',
      title: 'What to pack',
      description: 'Asks for a packing list for this trip',
      arguments: [{ name: 'season', description: 'spring, summer, autumn or winter' }],
      complete: { season: ['spring', 'summer', 'autumn', 'winter'] },
    },
    noted(
      'prompt',
      'pack',
      ({ season = 'spring' }) =>
        `What should I pack for ${nightsOf(plan)} nights in ${season}: ${plan.map(({ place }) => place).join(', ')}?`,
    ),
  )

  return (
    <>
      <h2>Plan</h2>
      <p className="sum">
        <span>
          <strong>{plan.length}</strong> {plan.length === 1 ? 'stop' : 'stops'}
        </span>
        <span>
          <strong>{nightsOf(plan)}</strong> nights
        </span>
        <code>{planUri}</code>
      </p>
      <Stops plan={plan} change={setPlan} />
      <NewStop add={(place) => setPlan((now) => added(now, { place, nights: 1, by: 'you' }))} />
    </>
  )
}

function Stops({ plan, change }: { plan: Plan; change: (next: Plan) => void }) {
  if (plan.length === 0) return <p className="empty">No stops yet. Where to?</p>
  return (
    <ol className="stops">
      {plan.map(({ place, nights, by }, at) => (
        <li key={place} data-by={by}>
          <span className="nth">{at + 1}</span>
          <span className="place">
            {place}
            {by === 'assistant' && <small>added by an assistant</small>}
          </span>
          <span className="nights">
            <button
              type="button"
              className="round"
              aria-label={`One night less in ${place}`}
              disabled={nights === 1}
              onClick={() => change(lengthened(plan, at, -1))}
            >
              −
            </button>
            <output>
              {nights} {nights === 1 ? 'night' : 'nights'}
            </output>
            <button
              type="button"
              className="round"
              aria-label={`One night more in ${place}`}
              disabled={nights === maxNights}
              onClick={() => change(lengthened(plan, at, 1))}
            >
              +
            </button>
          </span>
          <button
            type="button"
            className="round"
            aria-label={`Remove ${place}`}
            onClick={() => change(removed(plan, at))}
          >
            ×
          </button>
        </li>
      ))}
    </ol>
  )
}

function NewStop({ add }: { add: (place: string) => void }) {
  const [place, setPlace] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (place.trim() === '') return
    add(place.trim())
    setPlace('')
  }
  return (
    <form onSubmit={submit}>
      <input
        value={place}
        onChange={(event) => setPlace(event.target.value)}
        aria-label="Another stop"
        placeholder="Another stop"
        maxLength={60}
      />
      <button type="submit" className="primary" disabled={place.trim() === ''}>
        Add
      </button>
    </form>
  )
}
