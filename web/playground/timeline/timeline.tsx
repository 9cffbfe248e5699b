/** @jsxImportSource preact */
/** The timeline: all messages, oldest first. The list is loaded first, other views on demand. */

import { t } from '../base/i18n.ts'
import { lazy } from '../base/lazy.tsx'
import { timelineView } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { List } from './list.tsx'
import { LiveRegion } from './live-region.tsx'
import { Toolbar } from './toolbar.tsx'
import { drawn, shown } from './view.ts'

const Sequence = lazy(async () => (await import('./timeline-parts.ts')).Sequence)
const Waterfall = lazy(async () => (await import('./timeline-parts.ts')).Waterfall)
const Wire = lazy(async () => (await import('./timeline-parts.ts')).Wire)

export function Timeline() {
  const view = timelineView.value
  return (
    <div class="tl">
      <Toolbar />
      <View view={view} />
      <Empty />
      <LiveRegion />
    </div>
  )
}

function View({ view }: { view: typeof timelineView.value }) {
  switch (view) {
    case 'list':
      return <List />
    case 'waterfall':
      return <Waterfall />
    case 'sequence':
      return <Sequence />
    case 'wire':
      return <Wire />
  }
}

/** Explains an empty list. */
function Empty() {
  drawn.value
  if (shown.length > 0) return null
  return <p class="tl-empty">{t(store.length > 0 ? 'timeline.noMatch' : 'timeline.empty')}</p>
}
