/** The components; each registers its own resources, tools and prompts. */

import { ToolError } from 'pagemcp'
import { usePrompt, useResource, useTool } from 'pagemcp/react'
import { type FormEvent, useEffect, useState } from 'react'
import type { Panel } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { toast } from '../shared/toast.ts'
import {
  added,
  lengthened,
  maxNights,
  maxStops,
  nightsOf,
  type Plan,
  planUri,
  removed,
  restored,
  same,
  store,
  stored,
} from './plan.ts'
import { Proposals } from './proposals.tsx'
import { texts } from './texts.ts'

const stopSchema = {
  type: 'object',
  properties: {
    place: { type: 'string', minLength: 1, maxLength: 60, description: texts.town },
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
  const [plan, setPlan] = useState<Plan>(() => stored(texts.seeds))
  useEffect(() => store(plan), [plan])

  useResource(
    planUri,
    {
      name: 'plan',
      title: texts.plan,
      description: texts.planDescription,
      mimeType: 'application/json',
    },
    plan,
  )
  useTool(
    'add_stop',
    { title: texts.addTool, description: texts.addDescription, inputSchema: stopSchema },
    noted('tool', 'add_stop', (args) => {
      const { place, nights } = args as { place: string; nights: number }
      if (plan.length >= maxStops) {
        throw new ToolError(say(texts.full, { count: maxStops }))
      }
      setPlan((now) => added(now, { place: place.trim(), nights, by: 'assistant' }))
      return say(texts.more, { place, count: nights })
    }),
  )
  useTool(
    'remove_stop',
    { title: texts.removeTool, description: texts.removeDescription, inputSchema: placeSchema },
    noted('tool', 'remove_stop', async (args, { ask }) => {
      const { place } = args as { place: string }
      if (!plan.some((stop) => same(stop.place, place))) {
        throw new ToolError(say(texts.noStop, { place }))
      }
      const { ok } = await ask(say(texts.sure, { place }), {
        type: 'object',
        properties: { ok: { type: 'boolean', title: texts.ok, default: false } },
        required: ['ok'],
      })
      if (!ok) return texts.stays
      setPlan((now) => now.filter((stop) => !same(stop.place, place)))
      return say(texts.out, { place })
    }),
  )
  usePrompt(
    'pack',
    {
      title: texts.packTool,
      description: texts.packDescription,
      arguments: [
        {
          name: 'season',
          description: say(texts.season, { seasons: texts.seasons.join(', ') }),
        },
      ],
      complete: { season: texts.seasons },
    },
    noted('prompt', 'pack', ({ season = texts.seasons[0] ?? '' }) => {
      const places = plan.map(({ place }) => place).join(', ')
      return say(texts.pack, { count: nightsOf(plan), season, places })
    }),
  )

  return (
    <>
      <h2>{texts.plan}</h2>
      <p className="bar soft">
        <span>
          <strong>{plan.length}</strong> {say(texts.stops, { count: plan.length })}
        </span>
        <span>
          <strong>{nightsOf(plan)}</strong> {say(texts.nightsInAll, { count: nightsOf(plan) })}
        </span>
        <code>{planUri}</code>
      </p>
      <Proposals
        noted={noted}
        schema={stopSchema}
        accept={(place, nights) => {
          if (plan.length >= maxStops) throw new ToolError(say(texts.full, { count: maxStops }))
          setPlan((now) => added(now, { place: place.trim(), nights, by: 'assistant' }))
        }}
      />
      <Stops plan={plan} change={setPlan} />
      <NewStop add={(place) => setPlan((now) => added(now, { place, nights: 1, by: 'you' }))} />
    </>
  )
}

type Change = (next: Plan | ((now: Plan) => Plan)) => void

function Stops({ plan, change }: { plan: Plan; change: Change }) {
  if (plan.length === 0) return <p className="empty">{texts.none}</p>
  return (
    <ol className="rows stops">
      {plan.map(({ place, nights, by }, at) => (
        <li key={place} className="row" data-by={by}>
          <span className="badge">{at + 1}</span>
          <div className="place">
            {place}
            {by === 'assistant' && <span className="soft">{texts.byAssistant}</span>}
          </div>
          <span className="nights">
            <button
              type="button"
              className="plain icon-button"
              aria-label={say(texts.less, { place })}
              disabled={nights === 1}
              onClick={() => change(lengthened(plan, at, -1))}
            >
              <Icon name="minus" />
            </button>
            <output>{say(texts.nights, { count: nights })}</output>
            <button
              type="button"
              className="plain icon-button"
              aria-label={say(texts.longer, { place })}
              disabled={nights === maxNights}
              onClick={() => change(lengthened(plan, at, 1))}
            >
              <Icon name="plus" />
            </button>
          </span>
          <button
            type="button"
            className="plain icon-button"
            aria-label={say(texts.remove, { place })}
            onClick={() => {
              change(removed(plan, at))
              toast(say(texts.removed, { place }), () =>
                change((now) => restored(now, at, { place, nights, by })),
              )
            }}
          >
            <Icon name="close" />
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
    <form className="bar" onSubmit={submit}>
      <input
        value={place}
        onChange={(event) => setPlace(event.target.value)}
        aria-label={texts.another}
        placeholder={texts.another}
        maxLength={60}
      />
      <button type="submit" className="primary" disabled={place.trim() === ''}>
        {texts.add}
      </button>
    </form>
  )
}

function Icon({ name }: { name: 'minus' | 'plus' | 'close' }) {
  const paths = { minus: 'M3 8h10', plus: 'M8 3v10M3 8h10', close: 'm4 4 8 8m0-8-8 8' }
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  )
}
