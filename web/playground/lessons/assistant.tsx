/** @jsxImportSource preact */
/** The scripted assistant for any column of the page: a button that starts it, and the chat that runs. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { scripted } from '../base/state.ts'
import { Chat } from './chat.tsx'
import { loadScenario } from './library.ts'
import { chatting, lessonOf, running, startScenario } from './running.ts'

export function RunningChat() {
  const player = lessonOf(running.value)
  return player && chatting.value ? <Chat key={player} player={player} /> : null
}

export function Assistant() {
  if (chatting.value) return null
  const begin = async () => {
    scripted.value = true // from now on, also while it loads
    try {
      startScenario(await loadScenario('assistant'), { learner: true })
    } catch (error) {
      scripted.value = running.peek() !== undefined
      actions.announce(t('base.failedToLoad', { reason: (error as Error).message }))
    }
  }
  return (
    <p class="chat-start toolbar">
      <button type="button" data-command="assistant" onClick={begin}>
        <Icon name="spark" /> {t('lessons.assistant')}
      </button>{' '}
      <span class="quiet">{t('lessons.scripted')}</span>
    </p>
  )
}
