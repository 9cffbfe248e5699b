/** @jsxImportSource preact */
/** The shell: the bar, four panes and their dividers, and on a narrow screen one pane at a time. */

import { Compose } from '../compose/compose.tsx'
import { Timeline } from '../timeline/timeline.tsx'
import { t } from './i18n.ts'
import { lazy } from './lazy.tsx'
import { pane, panes } from './state.ts'

const Explore = lazy(async () => (await import('../explore/explore.tsx')).Explore)
const Inspect = lazy(async () => (await import('../inspect/inspect.tsx')).Inspect)

export function App() {
  return (
    <>
      <header class="bar">
        <h1>{t('app.title')}</h1>
      </header>
      <main class="panes" data-shown={pane.value}>
        <section class="pane" data-pane="explore" aria-label={t('app.explore')}>
          <Explore />
        </section>
        <section class="pane" data-pane="compose" aria-label={t('app.compose')}>
          <Compose />
        </section>
        <section class="pane" data-pane="inspect" aria-label={t('app.inspect')}>
          <Inspect />
        </section>
        <section class="pane" data-pane="timeline" aria-label={t('app.timeline')}>
          <Timeline />
        </section>
      </main>
      <nav class="switcher">
        {panes.map((name) => (
          <button
            key={name}
            type="button"
            aria-current={pane.value === name}
            onClick={() => {
              pane.value = name
            }}
          >
            {t(`app.${name}`)}
          </button>
        ))}
      </nav>
    </>
  )
}
