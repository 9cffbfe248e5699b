/** @jsxImportSource preact */
/** The payloads of a step of a presentation, with the members that its caption names marked. */

import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { selected } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { directionText } from '../timeline/format.ts'
import { namesIn, partsOf } from './payload-parts.ts'
import type { Steps } from './player.ts'

/** Maximum number of shown messages, the newest. */
const maxShown = 4 // messages

/** @param props.caption - of the step; a message that the user selects in the diagram is shown alone */
export function Payload({ steps, caption }: { steps: Steps; caption: string }) {
  const panel = useRef<HTMLElement>(null)
  store.changed.value
  const step = steps.shown.value - 1
  const chosen = selected.value
  const own = steps.stepRows.value[step] ?? []
  const picked = chosen !== undefined && steps.rows.value.includes(chosen) ? [chosen] : own
  const rows = picked.filter((row) => store.kind(row) !== 'world').slice(-maxShown)
  const names = namesIn(caption)
  for (const mark of steps.marks(step)) names.add(mark)
  const key = rows.join()
  useLayoutEffect(() => {
    panel.current?.querySelector('mark')?.scrollIntoView({ block: 'nearest' })
  }, [key])
  return (
    <aside
      class="present-payload"
      aria-label={t('timeline.messages')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
      tabIndex={0}
      ref={panel}
    >
      {rows.map((row) => (
        <figure key={row} lang="en" translate={false}>
          <figcaption>
            <Icon name={store.direction(row) === 'in' ? 'arrow-in' : 'arrow-out'} />{' '}
            <span class="unseen">{directionText(store, row)}</span>
            {store.method(row)}
          </figcaption>
          <pre>
            {partsOf(store.raw(row), names).map(({ text, marked }, i) =>
              marked ? <mark key={i}>{text}</mark> : text,
            )}
          </pre>
        </figure>
      ))}
    </aside>
  )
}
