/** @jsxImportSource preact */
/** The page: the bar, four panes and their dividers; on a narrow screen one pane at a time. */

import { computed } from '@preact/signals'
import { type ComponentChildren, createElement } from 'preact'
import { type Key, t } from '../base/i18n.ts'
import { lazy } from '../base/lazy.tsx'
import { settings } from '../base/settings.ts'
import { coach, goToPane, layout, type Pane, panes, show } from '../base/state.ts'
import { Compose } from '../compose/compose.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { Unseen } from '../timeline/unseen.tsx'
import { Bar } from './bar.tsx'
import { Dialogs } from './dialogs.tsx'
import { Divider } from './dividers.tsx'
import { Toast } from './toast.tsx'

const Explore = lazy(async () => (await import('./shell-parts.ts')).Explore)
const Lessons = lazy<{ close?(): void }>(
  async () => (await import('../lessons/lesson-parts.ts')).Lessons,
)
const Present = lazy(async () => (await import('../lessons/lesson-parts.ts')).Present)
const GatewayPage = lazy(async () => (await import('../connections/connect-parts.ts')).GatewayPage)
const Inspect = lazy(async () => (await import('./shell-parts.ts')).Inspect)

const skips: { readonly [name in Pane]: Key } = {
  explore: 'shell.toExplore',
  compose: 'shell.toCompose',
  inspect: 'shell.toInspect',
  timeline: 'shell.toTimeline',
}

let focusedPane: string | undefined // when a presentation began, which replaces the panes

computed(() => layout.value.presenting).subscribe((on) => {
  if (on) focusedPane = document.activeElement?.closest('.pane')?.id
  else requestAnimationFrame(() => document.getElementById(focusedPane ?? '')?.focus())
})

export function App() {
  if (layout.value.presenting) {
    return (
      <>
        <Present />
        <Toast />
      </>
    )
  }
  return (
    <>
      {panes.map((name) => (
        <a
          key={name}
          class="skip"
          href={`#pane-${name}`}
          onClick={(event) => {
            event.preventDefault() // the fragment of the address may hold a shared link
            goToPane(name)
          }}
        >
          {t(skips[name])}
        </a>
      ))}
      <Bar />
      <Panes />
      <nav class="switcher" aria-label={t('shell.panes')}>
        {panes.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={layout.value.pane === name}
            onClick={() => {
              show({ pane: name })
            }}
          >
            {t(`shell.${name}`)}
            {name === 'timeline' && <Unseen />}
          </button>
        ))}
      </nav>
      <Dialogs />
      <Toast />
    </>
  )
}

function Panes() {
  const { explore, inspect, timeline } = settings.value.sizes
  return (
    <main
      class="panes"
      data-shown={layout.value.pane}
      data-bench={settings.value.bench ? 'open' : 'closed'}
      style={{
        '--explore': `${explore}px`,
        '--inspect': `${inspect}px`,
        '--timeline': `${timeline}%`,
      }}
    >
      <PaneBox name="explore">
        {layout.value.side === 'lessons' ? (
          <Lessons close={() => show({ pane: 'compose' })} />
        ) : (
          <Explore />
        )}
      </PaneBox>
      <Divider of="explore" beside="shell.compose" />
      <PaneBox name="compose">
        {coach.value ? createElement(coach.value, {}) : null}
        {layout.value.front === 'gateway' ? <GatewayPage /> : <Compose />}
      </PaneBox>
      <Divider of="inspect" beside="shell.compose" />
      <PaneBox name="inspect">
        <Inspect />
      </PaneBox>
      <Divider of="timeline" beside="shell.compose" />
      <PaneBox name="timeline">
        <Timeline />
      </PaneBox>
    </main>
  )
}

function PaneBox({ name, children }: { name: Pane; children: ComponentChildren }) {
  return (
    <section
      class="pane"
      id={`pane-${name}`}
      data-pane={name}
      tabIndex={-1}
      aria-label={t(`shell.${name}`)}
    >
      {children}
    </section>
  )
}
