/** Commands of the timeline. */

import { actions } from '../base/actions.ts'
import type { Command } from '../base/commands.ts'
import { t } from '../base/i18n.ts'
import { filter, paused, show } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { changeClock } from './row-time.ts'
import { follow } from './view.ts'

export const timelineCommands: readonly Command[] = [
  {
    id: 'timeline.list',
    title: 'timeline.showList',
    keys: 'G L',
    run: () => show({ timelineView: 'list', pane: 'timeline' }),
  },
  {
    id: 'timeline.sequence',
    title: 'timeline.showSequence',
    keys: 'G S',
    run: () => show({ timelineView: 'sequence', pane: 'timeline' }),
  },
  {
    id: 'timeline.filter',
    title: 'timeline.goToFilter',
    keys: '/',
    run() {
      show({ pane: 'timeline' })
      const field = document.getElementById('tl-filter')
      // On a narrow screen the pane is drawn with the next frame.
      requestAnimationFrame(() => field?.focus())
    },
  },
  {
    id: 'timeline.pause',
    title: 'timeline.pauseOrResume',
    keys: 'Space',
    run() {
      paused.value = !paused.value
      actions.announce(t(paused.value ? 'timeline.paused' : 'timeline.resumed'))
    },
  },
  {
    id: 'timeline.follow',
    title: 'timeline.follow',
    run() {
      follow.value = !follow.value
    },
  },
  {
    id: 'timeline.showAll',
    title: 'timeline.showAll',
    run() {
      filter.value = ''
    },
    when: () => filter.value !== '',
  },
  {
    id: 'timeline.clock',
    title: 'timeline.clock',
    run: changeClock,
  },
  { id: 'timeline.clear', title: 'timeline.clearAll', run: () => store.clear() },
]
