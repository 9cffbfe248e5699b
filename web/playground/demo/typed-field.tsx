/** @jsxImportSource preact */
/** A text field whose changes are saved while the user types, not only when it loses the focus. */

import { useSignal } from '@preact/signals'
import type { InputHTMLAttributes, TextareaHTMLAttributes } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

/** The pause in typing after which a text is saved. */
const pause = 250 // ms

type Own = { value: string; save(text: string): void }
type Props = Own &
  (({ rows: number } & TextareaHTMLAttributes) | ({ rows?: undefined } & InputHTMLAttributes))

/** With `rows`, a text area. Other changes of `value` are shown unless the user is typing. */
export function TypedField({ value, save, ...attributes }: Props) {
  const typed = useSignal<string | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const finish = useRef(() => {})
  finish.current = () => {
    clearTimeout(timer.current)
    const text = typed.peek()
    typed.value = undefined
    if (text !== undefined && text !== value) save(text)
  }
  useEffect(() => () => finish.current(), [])
  const own = {
    ...attributes,
    value: typed.value ?? value,
    onInput({ currentTarget }: { currentTarget: { value: string } }) {
      typed.value = currentTarget.value
      clearTimeout(timer.current)
      timer.current = setTimeout(() => finish.current(), pause)
    },
    onChange({ currentTarget }: { currentTarget: { value: string } }) {
      typed.value = currentTarget.value
      finish.current()
    },
  }
  return attributes.rows === undefined ? (
    <input {...(own as InputHTMLAttributes)} />
  ) : (
    <textarea {...(own as TextareaHTMLAttributes)} />
  )
}
