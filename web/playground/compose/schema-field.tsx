/** @jsxImportSource preact */
/** One field of a form, with its label, its description and suggestions. */

import { useSignal } from '@preact/signals'
import type { InputHTMLAttributes } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import type { Field, Input } from './schema-fields.ts'

interface Props {
  field: Field
  value: Input
  put(value: Input): void
  /** Values for a text, or a function that requests the values that begin with a typed text. */
  suggest?: readonly string[] | ((typed: string) => Promise<readonly string[]>)
  /** Anything may be typed: the browser checks nothing. */
  loose?: boolean
}

export function SchemaField(props: Props) {
  const { field, value, put, loose = false } = props
  const { name, title, about, required, kind, choices, min = 0, max } = field
  const id = useId()
  const heading = (
    <>
      {title === name ? (
        <code lang="en" translate={false}>
          {name}
        </code>
      ) : (
        title
      )}
      {required && <span class="quiet"> · {t('compose.required')}</span>}
    </>
  )
  const described = about ? `${id}-about` : undefined
  const doc = about && (
    <p class="quiet" lang="en" id={described}>
      {about}
    </p>
  )
  if (kind === 'many') {
    const chosen = typeof value === 'string' ? [] : value
    const isWrong = chosen.length < min || chosen.length > (max ?? choices.length)
    const limit = `${min} … ${max ?? ''}`
    const problem = isWrong ? t('explain.hint.range', { member: title, limit }) : ''
    return (
      <fieldset class="field">
        <legend>{heading}</legend>
        {choices.map(({ json, title }, i) => (
          <label key={json}>
            <input
              type="checkbox"
              value={json}
              checked={chosen.includes(json)}
              ref={i === 0 ? (box) => box?.setCustomValidity(problem) : undefined}
              onChange={({ currentTarget: { checked } }) => {
                const others = chosen.filter((one) => one !== json)
                put(checked ? [...others, json] : others)
              }}
            />{' '}
            {title}
          </label>
        ))}
        {doc}
      </fieldset>
    )
  }
  const shared = {
    id,
    name,
    value: String(value),
    required: required && !loose,
    spellcheck: false,
    'aria-describedby': described,
  }
  return (
    <div class="field">
      <label for={id}>{heading}</label>
      {kind === 'choice' ? (
        <select {...shared} onChange={({ currentTarget }) => put(currentTarget.value)}>
          {(!required || !choices.some(({ json }) => json === value)) && (
            <option value="">–</option>
          )}
          {choices.map(({ json, title }) => (
            <option key={json} value={json}>
              {title}
            </option>
          ))}
        </select>
      ) : kind === 'json' ? (
        <textarea {...shared} rows={3} onChange={({ currentTarget }) => put(currentTarget.value)} />
      ) : (
        <TextInput {...props} shared={shared} />
      )}
      {doc}
    </div>
  )
}

/** Delay after a key before suggestions are requested. */
const pause = 250 // ms

function TextInput({
  field,
  value,
  put,
  suggest,
  loose,
  shared,
}: Props & { shared: { id: string } }) {
  const { kind, input, min, max, whole } = field
  const found = useSignal<readonly string[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const turn = useRef(0)
  useEffect(() => () => clearTimeout(timer.current), [])
  const request = (typed: string, wait: number) => {
    if (typeof suggest !== 'function') return
    clearTimeout(timer.current)
    const last = ++turn.current
    timer.current = setTimeout(async () => {
      const values = await suggest(typed)
      if (last === turn.current) found.value = values
    }, wait)
  }
  const limits =
    kind === 'number' ? { min, max, step: whole ? 1 : 'any' } : { minLength: min, maxLength: max }
  const own = {
    list: suggest && `${shared.id}-list`,
    ...(loose
      ? { inputMode: kind === 'number' ? 'decimal' : undefined }
      : { type: input, ...limits }),
  }
  return (
    <>
      <input
        {...shared}
        {...(own as InputHTMLAttributes)}
        autocomplete="off"
        onFocus={() => request(String(value), 0)}
        onInput={({ currentTarget }) => {
          put(currentTarget.value)
          request(currentTarget.value, pause)
        }}
      />
      {suggest && (
        <datalist id={`${shared.id}-list`}>
          {(typeof suggest === 'function' ? found.value : suggest).map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
      )}
    </>
  )
}
