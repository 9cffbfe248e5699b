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

/** What was typed. `over`: the value that it replaces, once it is being saved; `undefined`: the user is typing. */
interface Typed {
  text: string
  over?: string
}

/**
 * With `rows`, a text area. Other changes of `value` are shown unless the user is typing. A text that is being saved
 * is shown until `value` changes: what is typed meanwhile would go into the earlier text, and be lost.
 */
export function TypedField({ value, save, ...attributes }: Props) {
  const typed = useSignal<Typed | undefined>(undefined)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const finish = useRef(() => {})
  finish.current = () => {
    clearTimeout(timer.current)
    const now = typed.peek()
    if (now === undefined || now.over !== undefined) return
    typed.value = now.text === value ? undefined : { text: now.text, over: value }
    if (now.text !== value) save(now.text)
  }
  useEffect(() => () => finish.current(), [])
  useEffect(() => {
    if (typed.peek()?.over !== undefined) typed.value = undefined
  }, [value, typed])
  const shown = typed.value
  const isShown = shown !== undefined && (shown.over === undefined || shown.over === value)
  const own = {
    ...attributes,
    value: isShown ? shown.text : value,
    onInput({ currentTarget }: { currentTarget: { value: string } }) {
      typed.value = { text: currentTarget.value }
      clearTimeout(timer.current)
      timer.current = setTimeout(() => finish.current(), pause)
    },
    onChange({ currentTarget }: { currentTarget: { value: string } }) {
      typed.value = { text: currentTarget.value }
      finish.current()
    },
  }
  return attributes.rows === undefined ? (
    <input {...(own as InputHTMLAttributes)} />
  ) : (
    <textarea {...(own as TextareaHTMLAttributes)} />
  )
}
