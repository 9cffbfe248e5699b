/** @jsxImportSource preact */
/** Subscriptions of each client: requested, granted, and received updates. */

import { t } from '../base/i18n.ts'
import { clockTime } from '../base/numbers.ts'
import { sessions } from '../connections/clients.ts'
import type { ListenFilter, Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { isModern } from '../protocol/revisions.ts'
import { isAutoReading, setAutoRead } from './auto-read.ts'
import { Sparkline, useNow } from './rate.tsx'
import { none, recentCounts } from './recent-counts.ts'

const kinds = ['resourcesListChanged', 'promptsListChanged', 'toolsListChanged'] as const
const lists = {
  resourcesListChanged: 'resources',
  promptsListChanged: 'prompts',
  toolsListChanged: 'tools',
} as const

/** The panel; while shown, it is redrawn once a second. */
export function Notifications() {
  const recent = recentCounts(store, useNow(), (row) =>
    store.method(row) === 'notifications/resources/updated'
      ? `${store.connection(row)} ${store.target(row)}`
      : undefined,
  )
  return (
    <div class="nt stack">
      {sessions.value.map((session) => (
        <Subscriptions key={session.connection.id} session={session} recent={recent} />
      ))}
    </div>
  )
}

interface Props {
  session: Session
  recent: ReadonlyMap<string, number[]>
}

function Subscriptions({ session, recent }: Props) {
  const { connection } = session
  const wanted = session.wanted.value
  const granted = session.granted.value
  const uris = wanted.resourceSubscriptions ?? []
  const others = [...session.updates.value.keys()].filter((uri) => !uris.includes(uri))
  const modern = isModern(session.revision.value)
  const asks = uris.length > 0 || kinds.some((kind) => wanted[kind])
  const lost = modern && asks && granted !== undefined && Object.keys(granted).length === 0
  return (
    <section class="stack" aria-label={`${connection.letter} ${connection.dialer.title}`}>
      <h2>
        <span class="letter">{connection.letter}</span> {connection.dialer.title}
      </h2>
      {modern && (
        <fieldset class="field">
          <legend>{t('timeline.listChanges')}</legend>
          {kinds.map((kind) => (
            <label key={kind} class="with-facts">
              <input
                type="checkbox"
                checked={wanted[kind] ?? false}
                onChange={(event) =>
                  session.listen({ ...wanted, [kind]: event.currentTarget.checked || undefined })
                }
              />{' '}
              <code lang="en" translate={false}>
                {kind}
              </code>{' '}
              {wanted[kind] && <Grant is={grantOf(granted, granted?.[kind])} />}{' '}
              <span class="quiet">
                {t('timeline.times', { count: session.listChanged.value[lists[kind]] })}
              </span>
            </label>
          ))}
        </fieldset>
      )}
      {lost && (
        <p>
          {t('timeline.streamEnded')}{' '}
          <button type="button" onClick={() => session.listen(wanted)}>
            {t('timeline.reopen')}
          </button>
        </p>
      )}
      {uris.length + others.length === 0 ? (
        <p class="quiet">{t('timeline.noSubscriptions')}</p>
      ) : (
        <ul class="nt-uris">
          {[...uris, ...others].map((uri) => (
            <Resource
              key={uri}
              session={session}
              uri={uri}
              granted={granted}
              asked={uris.includes(uri)}
              counts={recent.get(`${connection.id} ${uri}`)}
            />
          ))}
        </ul>
      )}
    </section>
  )
}

/** The state of a requested notification: pending, granted, or missing in the acknowledgement. */
const grantOf = (granted: ListenFilter | undefined, has: boolean | undefined) =>
  granted === undefined ? 'pending' : has ? 'granted' : 'refused'

function Grant({ is }: { is: 'pending' | 'granted' | 'refused' }) {
  const mood = { pending: 'warn', granted: 'good', refused: 'bad' }[is]
  return (
    <span class="chip" data-is={mood}>
      {t(`timeline.${is}`)}
    </span>
  )
}

function Resource({
  session,
  uri,
  granted,
  asked,
  counts = none,
}: {
  session: Session
  uri: string
  granted: ListenFilter | undefined
  asked: boolean
  counts?: readonly number[]
}) {
  const update = session.updates.value.get(uri)
  return (
    <li class="list-row">
      <p>
        <code>{uri}</code>{' '}
        {asked ? (
          <Grant is={grantOf(granted, granted?.resourceSubscriptions?.includes(uri))} />
        ) : (
          <span class="chip" data-is="warn">
            {t('timeline.notRequested')}
          </span>
        )}
      </p>
      <div class="toolbar">
        <span>{t('timeline.updates', { count: update?.count ?? 0 })}</span>
        {update && (
          <span class="quiet">{t('timeline.last', { time: clockTime(update.last) })}</span>
        )}
        <Sparkline counts={counts} />
      </div>
      <div class="toolbar">
        <label>
          <input
            type="checkbox"
            checked={isAutoReading(session, uri)}
            onChange={(event) => setAutoRead(session, uri, event.currentTarget.checked)}
          />{' '}
          {t('timeline.autoRead')}
        </label>
        {asked && (
          <button
            type="button"
            aria-label={t('timeline.unsubscribeFrom', { uri })}
            onClick={() => session.unsubscribe(uri)}
          >
            {t('timeline.unsubscribe')}
          </button>
        )}
      </div>
    </li>
  )
}
