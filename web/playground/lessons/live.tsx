/** @jsxImportSource preact */
/** Presents what happens now: the conversation of each client beside its sequence diagram, and pages in the dock. */

import { useSignal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { lazy } from '../base/lazy.tsx'
import { sessionOf, sessions } from '../connections/clients.ts'
import { type ClientName, clientName } from '../connections/names.ts'
import { Sequence } from '../timeline/sequence.tsx'
import { drawn, shown } from '../timeline/view.ts'
import { LiveChat } from './live-chat.tsx'
import { newestOf } from './newest-rows.ts'
import { fullScreen, useKeys } from './present-keys.ts'
import { endScenario } from './running.ts'

const LivePages = lazy(async () => (await import('../connections/connect-parts.ts')).LivePages)

/** For an audience that watches, for example, an assistant. */
export function Live() {
  const chat = useSignal(true)
  useKeys({ Escape: endScenario, F: fullScreen })
  drawn.value
  const rows = newestOf(shown, ownConnections())
  return (
    <main class="present">
      <header>
        <h1>{t('lessons.live')}</h1>
        <LivePages />
        <button
          type="button"
          class="ghost"
          aria-pressed={chat.value}
          data-live="chat"
          onClick={() => {
            chat.value = !chat.peek()
          }}
        >
          {t('lessons.chat')}
        </button>
        <button type="button" class="ghost" aria-keyshortcuts="F" onClick={fullScreen}>
          {t('lessons.fullScreen')} <kbd>F</kbd>
        </button>
        <button type="button" class="ghost" aria-keyshortcuts="Escape" onClick={endScenario}>
          {t('lessons.leave')} <kbd>Esc</kbd>
        </button>
      </header>
      <div class="present-diagram">
        {chat.value ? <LiveChat rows={rows} naming={naming} /> : null}
        <Sequence large rows={() => rows} naming={naming} />
      </div>
    </main>
  )
}

/** The open connections to other servers than the demo; undefined: there are none, and the demo is presented. */
function ownConnections(): ReadonlySet<number> | undefined {
  const own = sessions.value.filter(({ connection }) => !connection.dialer.demo)
  return own.length > 0 ? new Set(own.map(({ connection }) => connection.id)) : undefined
}

/** A monitored connection has the names of its assistant and its page. */
function naming(connection: number): ClientName {
  const name = clientName(connection)
  const monitors = sessionOf(connection)?.connection.dialer.monitors
  if (!monitors) return name
  const assistant = monitors.assistant.value
  return {
    ...name,
    title: monitors.page,
    ...(assistant && {
      client: assistant.isVouched
        ? assistant.name
        : t('lessons.claims', { name: assistant.name.slice(0, 64) }),
    }),
  }
}
