/** @jsxImportSource preact */
/** The conversation of assistants and pages in sentences, as their messages have it: no model is asked. */

import { t } from '../base/i18n.ts'
import { store } from '../messages/log.ts'
import type { Naming } from '../timeline/diagram.ts'
import { revisionAt } from '../timeline/hints.ts'
import { locate } from '../timeline/view.ts'
import { type Turn, turnOf } from './chat-turns.ts'

/** Maximum number of shown turns, the newest. */
const maxTurns = 60

export function LiveChat({ rows, naming }: { rows: readonly number[]; naming: Naming }) {
  store.changed.value
  const turns = rows
    .slice(-2 * maxTurns) // many messages say nothing
    .map((row) => turnOf(store, row, revisionAt(row)))
    .filter((turn): turn is Turn => turn !== undefined)
    .slice(-maxTurns)
  const nameOf = ({ row, from }: Turn): string => {
    const { letter, title, client } = naming(store.connection(row))
    return from === 'server' ? title : (client ?? `${t('timeline.client')} ${letter}`)
  }
  let speaker = ''
  return (
    <div class="chat live-chat">
      <div
        role="log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
        tabIndex={0}
        aria-label={t('lessons.chat')}
      >
        {turns.length === 0 ? <p class="quiet">{t('timeline.empty')}</p> : null}
        <ol>
          {turns.map((turn) => {
            const name = nameOf(turn)
            const isNew = name !== speaker
            speaker = name
            return (
              <li key={turn.row} class={`chat-${turn.from}`}>
                {isNew ? <strong>{name}</strong> : null}
                <button
                  type="button"
                  class="chat-call"
                  data-kind={turn.failed ? 'error' : ''}
                  onClick={() => locate(turn.row)}
                >
                  {turn.says ? <span>{t(turn.says.key, turn.says.params)}</span> : null}
                  {turn.quote ? <q>{turn.quote}</q> : null}
                </button>
              </li>
            )
          })}
        </ol>
      </div>
    </div>
  )
}
