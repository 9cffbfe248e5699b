/** @jsxImportSource preact */
/** What can be done with a task that goes on: get its state, follow it, cancel it. SEP-2663. */

import { t } from '../base/i18n.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { showAnswer } from '../messages/select-answer.ts'
import { openTask, taskRequests } from './task.ts'

const choices = ['get', 'follow', 'cancel'] as const

export function TaskNotice({
  row,
  request,
  session,
}: {
  row: number
  request: number
  session: Session
}) {
  const task = openTask(store.message(request), store.message(row))
  if (!task) return null
  return (
    <div class="compose-notes notice toolbar" role="status" data-from="task">
      <p>{t('compose.task.about')}</p>
      {choices.map((choice) => (
        <button
          key={choice}
          type="button"
          data-command={`task-${choice}`}
          onClick={() => {
            const message = { jsonrpc: '2.0', id: session.nextId(), ...taskRequests[choice](task) }
            showAnswer(session.connection.send(JSON.stringify(message)))
          }}
        >
          {t(`compose.task.${choice}`)}
        </button>
      ))}
    </div>
  )
}
