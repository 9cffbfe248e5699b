/** @jsxImportSource preact */
/** The question before the first connection to a host that is not this machine. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { agree } from './consent.ts'

/** A connection that waits for the user's confirmation. */
export interface Question {
  host: string
  proceed(): void
}

export function Consent({ question: { host, proceed }, end }: { question: Question; end(): void }) {
  const refuse = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => refuse.current?.focus(), [])
  return (
    <div class="connections-consent stack" role="alertdialog" aria-labelledby="connections-consent">
      <p id="connections-consent">{t('connections.consent', { host })}</p>
      <p class="toolbar">
        <button type="button" ref={refuse} onClick={end}>
          {t('connections.refuse')}
        </button>
        <button
          type="button"
          data-agree={host}
          onClick={() => {
            agree(host)
            end()
            proceed()
          }}
        >
          {t('connections.agree', { host })}
        </button>
      </p>
    </div>
  )
}
