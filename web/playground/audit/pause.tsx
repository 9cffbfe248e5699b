/** @jsxImportSource preact */
/** Whether assistants are paused, and the command that changes it: a monitor cannot end a pause. */

import { actions } from '../base/actions.ts'
import { t, tag } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'

export function Pause({ until }: { until: number }) {
  const paused = until > Date.now()
  const command = paused ? 'pagemcp resume' : 'pagemcp pause'
  const time = new Intl.DateTimeFormat(tag(), { dateStyle: 'short', timeStyle: 'short' })
  const copy = () =>
    navigator.clipboard.writeText(command).then(
      () => actions.announce(t('base.copied')),
      () => actions.announce(t('base.notCopied')),
    )
  return (
    <p class="audit-row">
      <span class="audit-state" data-paused={paused}>
        {paused ? t('audit.paused', { time: time.format(until) }) : t('audit.pauseBy')}
      </span>
      <code lang="en" translate={false}>
        {command}
      </code>
      <IconButton name="copy" label={`${t('connections.copy')}: ${command}`} onClick={copy} />
    </p>
  )
}
