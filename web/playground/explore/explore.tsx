/** @jsxImportSource preact */
/** Explore: a rail of views, and the chosen one: the stage, lists of the active server, subscriptions, the demo. */

import { t } from '../base/i18n.ts'
import { Icon, type IconName } from '../base/icon.tsx'
import { lazy } from '../base/lazy.tsx'
import { change, embedded, settings } from '../base/settings.ts'
import { type ExploreView, exploreViews } from '../base/state.ts'
import { hasSkills } from '../connections/catalogue.ts'
import { active } from '../connections/clients.ts'
import { openCheck } from '../connections/open-check.ts'
import type { Session } from '../connections/session.ts'
import { Notifications } from '../timeline/notifications.tsx'
import { Prompts } from './prompts.tsx'
import { Resources } from './resources.tsx'
import { Skills } from './skills.tsx'
import { Templates } from './templates.tsx'
import { Tools } from './tools.tsx'

const Stage = lazy(async () => (await import('../demo/demo-parts.ts')).Stage)
const Assistant = lazy(async () => (await import('../lessons/lesson-parts.ts')).Assistant)
const Chat = lazy(async () => (await import('../lessons/lesson-parts.ts')).RunningChat)
const DemoPanel = lazy(async () => (await import('../demo/demo-parts.ts')).DemoPanel)

const icons: Readonly<Record<ExploreView, IconName>> = {
  stage: 'page',
  resources: 'file',
  templates: 'braces',
  prompts: 'chat',
  tools: 'tool',
  skills: 'book',
  subscriptions: 'bell',
  demo: 'database',
}

/** Views of the demo's server only. */
const ofTheDemo: readonly ExploreView[] = ['stage', 'demo']

export function Explore() {
  const session = active.value
  const demo = session?.connection.dialer.demo
  const shown = exploreViews.filter((one) =>
    one === 'skills' ? hasSkills(session?.peer.value) : demo || !ofTheDemo.includes(one),
  )
  const chosen = settings.value.view
  const view = shown.includes(chosen) ? chosen : 'resources'
  return (
    <div class="explore">
      <div class="rail">
        <Views shown={shown} view={view} />
        {session && !session.connection.dialer.readOnly && !embedded ? (
          <div class="rail-views">
            <button
              type="button"
              class="icon-button"
              title={t('check.title')}
              data-command="check"
              onClick={openCheck}
            >
              <Icon name="check" /> <span>{t('check.title')}</span>
            </button>
          </div>
        ) : null}
      </div>
      <div
        class="scroll"
        id="explore-view"
        role="tabpanel"
        aria-labelledby={`explore-${view}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
        tabIndex={0}
      >
        <h2>{t(`explore.${view}`)}</h2>
        {session === undefined ? (
          <p class="quiet">{t('explore.noServer')}</p>
        ) : (
          <>
            <Problem session={session} />
            <View view={view} session={session} />
          </>
        )}
      </div>
    </div>
  )
}

/** Why the server does not answer. */
function Problem({ session: { connection } }: { session: Session }) {
  const reason = connection.reason.value
  return reason === '' ? null : (
    <p role="alert">
      {connection.dialer.title}: {reason}
    </p>
  )
}

function Views({ shown, view }: { shown: readonly ExploreView[]; view: ExploreView }) {
  const key = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = shown[(shown.indexOf(view) + step + shown.length) % shown.length]
    if (next === undefined) return
    change({ view: next })
    document.getElementById(`explore-${next}`)?.focus()
  }
  return (
    <div
      class="rail-views"
      role="tablist"
      aria-orientation="vertical"
      aria-label={t('shell.explore')}
      onKeyDown={key}
    >
      {shown.map((one) => (
        <button
          key={one}
          id={`explore-${one}`}
          type="button"
          class="icon-button"
          role="tab"
          title={t(`explore.${one}`)}
          aria-selected={view === one}
          aria-controls="explore-view"
          tabIndex={view === one ? 0 : -1}
          onClick={() => change({ view: one })}
        >
          <Icon name={icons[one]} /> <span>{t(`explore.${one}`)}</span>
        </button>
      ))}
    </div>
  )
}

function View({ view, session }: { view: ExploreView; session: Session }) {
  switch (view) {
    case 'stage':
      return (
        <>
          <Assistant />
          <Stage />
          <Chat />
        </>
      )
    case 'resources':
      return <Resources session={session} />
    case 'templates':
      return <Templates session={session} />
    case 'prompts':
      return <Prompts session={session} />
    case 'tools':
      return <Tools session={session} />
    case 'skills':
      return <Skills session={session} />
    case 'subscriptions':
      return <Notifications />
    case 'demo':
      return <DemoPanel />
  }
}
