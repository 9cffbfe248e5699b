/** @jsxImportSource preact */
/** A field with completions of the server, which get the other values as context. */

import { useSignal } from '@preact/signals'
import { useEffect, useId, useRef } from 'preact/hooks'
import type { Params } from '../protocol/revisions.ts'
import { complete } from './actions.ts'

/** Delay after a key before the server is requested. */
const pause = 250 // ms

export function CompletedField(props: {
  ref_: Params
  name: string
  label: string
  hint?: string
  required: boolean
  filled: Readonly<Record<string, string>>
  change(value: string): void
}) {
  const { ref_, name, label, hint, required, filled, change } = props
  const id = useId()
  const found = useSignal<readonly string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const turn = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const ask = (value: string, wait: number) => {
    clearTimeout(timer.current)
    const own = ++turn.current
    timer.current = setTimeout(async () => {
      const values = await complete(ref_, name, value, filled)
      if (own === turn.current) found.value = values
    }, wait)
  }
  const value = filled[name] ?? ''
  return (
    <p class="field">
      <label for={id}>
        <span lang="en" translate={false}>
          {label}
        </span>
        {required ? <span aria-hidden="true"> *</span> : null}
      </label>
      <input
        id={id}
        list={`${id}-values`}
        required={required}
        autocomplete="off"
        value={value}
        aria-describedby={hint ? `${id}-hint` : undefined}
        onFocus={() => ask(value, 0)}
        onInput={({ currentTarget }) => {
          change(currentTarget.value)
          ask(currentTarget.value, pause)
        }}
      />
      <datalist id={`${id}-values`}>
        {found.value.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      {hint ? (
        <span class="quiet" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
    </p>
  )
}
