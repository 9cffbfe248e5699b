/** @jsxImportSource preact */
/** What the forms for requests of a server have in common. */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { Session } from '../connections/session.ts'
import { pretty } from '../protocol/pretty.ts'
import type { Params } from '../protocol/revisions.ts'

/** Longer texts are cut. */
const maxText = 5000 // UTF-16 code units

export interface FormProps {
  params: Params
  session: Session
  give(result: unknown): void
  refuse?(): void
}

export const text = (value: unknown) => (typeof value === 'string' ? value.slice(0, maxText) : '')

/** All that the server sent, as JSON. */
export function Request({ params }: { params: Params }) {
  const shown = useSignal('')
  return (
    <details
      class="answer-request"
      onToggle={() => {
        try {
          shown.value ||= pretty(params).slice(0, maxText)
        } catch {
          shown.value = '…' // nested too deep
        }
      }}
    >
      <summary>JSON</summary>
      <pre translate={false}>{shown.value}</pre>
    </details>
  )
}

export const Refuse = ({ refuse }: { refuse?(): void }) =>
  refuse ? (
    <button type="button" class="ghost" onClick={refuse}>
      {t('compose.refuse')}
    </button>
  ) : null
