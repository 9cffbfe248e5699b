/** @jsxImportSource preact */
/** The tables. Names, URIs and reasons are those of the log, in its words. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { t, tag } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { duration } from '../base/numbers.ts'
import { sizeText } from '../base/size.ts'
import type { AuditEntry } from '../connections/audit-log.ts'
import { appOf, assistantOf, decisionOf, type Use } from './model.ts'

export const assistantText = (name: string) => (name === 'unnamed' ? t('audit.unnamed') : name)
export const appText = (name: string) => (name === '-' ? t('audit.lists') : name)

/** `14:03:22`, with the date if it is not of today. */
function timeText(time: string): string {
  const date = new Date(time)
  const isToday = date.toDateString() === new Date().toDateString()
  const dateStyle = isToday ? undefined : 'short'
  return new Intl.DateTimeFormat(tag(), { dateStyle, timeStyle: 'medium' }).format(date)
}

/** A table that scrolls by itself if it is wider than the dialog; by keyboard, too. */
function Table({ label, heads, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="data-table audit-table" tabIndex={0} aria-label={label}>
      <table>
        <thead>
          <tr>
            {heads.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  )
}

interface TableProps {
  label: string
  heads: readonly string[]
  children: ComponentChildren
}

interface UseTableProps {
  uses: readonly Use[]
  /** Selects the requests of a row. */
  show(assistant: string, app: string): void
}

export function UseTable({ uses, show }: UseTableProps) {
  const number = new Intl.NumberFormat(tag())
  const heads = [
    t('connections.reads.by'),
    t('audit.page'),
    t('connections.reads.reads'),
    t('audit.calls'),
    t('audit.denials'),
    t('connections.reads.size'),
    t('audit.last'),
  ]
  return (
    <Table label={t('audit.uses')} heads={heads}>
      {uses.map(({ assistant, app, reads, calls, denied, bytes, last, denial }) => (
        <tr key={`${assistant}\n${app}`}>
          <th scope="row">
            <button type="button" class="ghost" onClick={() => show(assistant, app)}>
              {assistantText(assistant)} <Icon name="filter" />
            </button>
          </th>
          <td>{appText(app)}</td>
          <td data-label={t('connections.reads.reads')}>{number.format(reads)}</td>
          <td data-label={t('audit.calls')}>{number.format(calls)}</td>
          <td data-label={t('audit.denials')}>
            {number.format(denied)} {denial ? <Reason entry={denial} /> : null}
          </td>
          <td>{sizeText(bytes)}</td>
          <td data-label={t('audit.last')}>{timeText(last)}</td>
        </tr>
      ))}
    </Table>
  )
}

const Reason = ({ entry: { reason, verb, uri } }: { entry: AuditEntry }) => (
  <span class="chip" data-is="bad" lang="en" translate={false} title={`${verb} ${uri ?? ''}`}>
    {reason}
  </span>
)

/** Rows that are shown at once. */
const step = 100

export function RequestTable({ entries }: { entries: readonly AuditEntry[] }) {
  const limit = useSignal(step)
  const left = entries.length - limit.value
  const heads = [
    t('timeline.time'),
    t('connections.reads.by'),
    t('audit.page'),
    t('audit.right'),
    t('timeline.method'),
    t('timeline.target'),
    t('audit.decision'),
    t('audit.reason'),
    t('connections.reads.size'),
    t('timeline.latency'),
  ]
  return (
    <>
      <Table label={t('audit.requests')} heads={heads}>
        {entries.slice(0, limit.value).map((entry) => (
          <Row key={`${entry.time}\n${entry.verb}`} entry={entry} />
        ))}
      </Table>
      {left > 0 ? (
        <button
          type="button"
          onClick={() => {
            limit.value += step
          }}
        >
          {t('audit.more', { count: Math.min(left, step) })}
        </button>
      ) : null}
    </>
  )
}

function Row({ entry }: { entry: AuditEntry }) {
  const { time, client, door, right, verb, uri, outcome, reason, bytes, ms } = entry
  const decision = decisionOf(entry)
  const name = assistantOf(entry)
  return (
    <tr data-decision={decision}>
      <td title={time}>{timeText(time)}</td>
      <td title={client ? `${client}, ${door}` : door}>{assistantText(name)}</td>
      <td>{appText(appOf(entry))}</td>
      <td lang="en" translate={false}>
        {right}
      </td>
      <td lang="en" translate={false}>
        <code>{verb}</code>
      </td>
      <td class="audit-target" lang="en" translate={false}>
        <code>{uri}</code>
      </td>
      <td>
        <span class="chip" data-is={decision === 'denied' ? 'bad' : 'good'}>
          {t(`audit.${decision}`)}
        </span>{' '}
        {outcome === 'ok' ? null : <code lang="en">{outcome}</code>}
      </td>
      <td lang="en" translate={false}>
        {reason}
      </td>
      <td>{sizeText(bytes)}</td>
      <td>{duration(ms)}</td>
    </tr>
  )
}
