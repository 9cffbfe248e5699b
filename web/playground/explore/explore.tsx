/** @jsxImportSource preact */
/** Explore: the lists of the active server, subscriptions, and the panel of the demo. */

import { t } from '../base/i18n.ts'
import { lazy } from '../base/lazy.tsx'
import { exploring } from '../base/state.ts'
import { active } from '../connections/clients.ts'
import { Prompts } from './prompts.tsx'
import { Resources } from './resources.tsx'
import { Templates } from './templates.tsx'
import { Tools } from './tools.tsx'

const DemoPanel = lazy(async () => (await import('../demo/panel.tsx')).DemoPanel)
const Notifications = lazy(
  async () => (await import('../timeline/notifications.tsx')).Notifications,
)

const views = ['resources', 'templates', 'prompts', 'tools', 'subscriptions', 'demo'] as const

export function Explore() {
  const session = active.value
  const shown = views.filter(
    (one) => one !== 'demo' || session?.connection.dialer.kind === 'in-page',
  )
  const view = shown.includes(exploring.value) ? exploring.value : 'resources'
  const key = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = shown[(shown.indexOf(view) + step + shown.length) % shown.length]
    if (next === undefined) return
    exploring.value = next
    document.getElementById(`explore-${next}`)?.focus()
  }
  return (
    <>
      <div class="tabs" role="tablist" aria-label={t('shell.explore')} onKeyDown={key}>
        {shown.map((one) => (
          <button
            key={one}
            id={`explore-${one}`}
            type="button"
            role="tab"
            aria-selected={view === one}
            aria-controls="explore-view"
            tabIndex={view === one ? 0 : -1}
            onClick={() => {
              exploring.value = one
            }}
          >
            {t(`explore.${one}`)}
          </button>
        ))}
      </div>
      <div
        class="scroll"
        id="explore-view"
        role="tabpanel"
        aria-labelledby={`explore-${view}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
      >
        {session === undefined ? (
          <p class="quiet">{t('explore.noServer')}</p>
        ) : view === 'resources' ? (
          <Resources session={session} />
        ) : view === 'templates' ? (
          <Templates session={session} />
        ) : view === 'prompts' ? (
          <Prompts session={session} />
        ) : view === 'tools' ? (
          <Tools session={session} />
        ) : view === 'subscriptions' ? (
          <Notifications />
        ) : (
          <DemoPanel />
        )}
      </div>
    </>
  )
}
