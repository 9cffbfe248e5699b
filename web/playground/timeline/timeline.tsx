/** @jsxImportSource preact */
/** The timeline: all messages, oldest first. The list is loaded first, the sequence diagram on demand. */

import { t } from '../base/i18n.ts'
import { lazy } from '../base/lazy.tsx'
import { layout } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { List } from './list.tsx'
import { LiveRegion } from './live-region.tsx'
import { Toolbar } from './toolbar.tsx'
import { drawn, shown } from './view.ts'

const Sequence = lazy(async () => (await import('./timeline-parts.ts')).Sequence)

export function Timeline() {
  return (
    <div class="tl fill">
      <Toolbar />
      {layout.value.timelineView === 'sequence' ? <Sequence /> : <List />}
      <Empty />
      <LiveRegion />
    </div>
  )
}

/** Explains an empty list. */
function Empty() {
  drawn.value
  if (shown.length > 0) return null
  return <p class="tl-empty">{t(store.length > 0 ? 'timeline.noMatch' : 'timeline.empty')}</p>
}
