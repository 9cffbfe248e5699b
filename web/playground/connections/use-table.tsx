/** @jsxImportSource preact */
/** Which assistants used which pages of the gateway, in its newest requests, and whether all are paused. */

import { t, tag } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { auditEntries, type Use, uses } from './audit-log.ts'

export function UseTable() {
  const all = uses(auditEntries.value)
  const number = new Intl.NumberFormat(tag())
  const time = new Intl.DateTimeFormat(tag(), { dateStyle: 'short', timeStyle: 'short' })
  if (all.length === 0) return <p>{t('connections.audit.none')}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="connections-wide" aria-label={t('connections.audit.uses')} tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('connections.reads.by')}</th>
            <th scope="col">{t('connections.audit.page')}</th>
            <th scope="col">{t('connections.reads.reads')}</th>
            <th scope="col">{t('connections.audit.calls')}</th>
            <th scope="col">{t('connections.audit.denials')}</th>
            <th scope="col">{t('connections.reads.size')}</th>
            <th scope="col">{t('connections.audit.last')}</th>
          </tr>
        </thead>
        <tbody>
          {all.map(({ assistant, app, contents, calls, denied, bytes, last, denial }) => (
            <tr key={`${assistant}\n${app}`}>
              <th scope="row">
                {assistant === 'unnamed' ? t('connections.audit.unnamed') : assistant}
              </th>
              <td>{app || t('connections.audit.lists')}</td>
              <td>
                <Contents all={contents} />
              </td>
              <td>{number.format(calls)}</td>
              <td>
                {number.format(denied)}{' '}
                {denial ? (
                  <span
                    class="chip"
                    data-is="bad"
                    lang="en"
                    translate={false}
                    title={`${denial.verb} ${denial.uri ?? ''}`}
                  >
                    {denial.reason}
                  </span>
                ) : null}
              </td>
              <td>{sizeText(bytes)}</td>
              <td>{time.format(new Date(last))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** How often each was read, and its bytes; folded. */
function Contents({ all }: { all: Use['contents'] }) {
  const number = new Intl.NumberFormat(tag())
  const total = [...all.values()].reduce((sum, { reads }) => sum + reads, 0)
  if (total === 0) return number.format(0)
  return (
    <details>
      <summary>{number.format(total)}</summary>
      <ul>
        {[...all].map(([uri, { reads, bytes }]) => (
          <li key={uri}>
            <code lang="en" translate={false}>
              {uri}
            </code>{' '}
            {number.format(reads)} · {sizeText(bytes)}
          </li>
        ))}
      </ul>
    </details>
  )
}

/** The command that changes the pause: a monitor cannot end one. */
export function Pause({ until }: { until: number }) {
  const paused = until > Date.now()
  const time = new Intl.DateTimeFormat(tag(), { dateStyle: 'short', timeStyle: 'short' })
  return (
    <p class="connections-pause">
      {paused
        ? t('connections.audit.paused', { time: time.format(until) })
        : t('connections.audit.pauseBy')}{' '}
      <code lang="en" translate={false}>
        {paused ? 'pagemcp resume' : 'pagemcp pause'}
      </code>
    </p>
  )
}
