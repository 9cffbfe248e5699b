/** @jsxImportSource preact */
/** The state of a list: loading, failed and why, freshness, and a button for its next page. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { catalogue, type ListKind } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'

export function ListState({ session, kind }: { session: Session; kind: ListKind }) {
  const all = catalogue(session)
  const { state, items, cursor, error, staleAt } = all.lists[kind].value
  const known = session.peer.value !== undefined
  const { reason, state: connected } = session.connection
  return (
    <div class="list-state toolbar">
      {state === 'failed' ? (
        <p role="alert">{t('explore.failed', { reason: error || '?' })}</p>
      ) : null}
      {state === 'none' && (known || (connected.value !== 'closed' && !reason.value)) ? (
        <p class="quiet">
          {session.connection.dialer.readOnly
            ? t('explore.readOnly')
            : known
              ? t('explore.notSupported')
              : t(session.handshaking.value ? 'explore.waiting' : 'explore.notRequested')}
        </p>
      ) : null}
      {state === 'there' && items.length === 0 ? <p class="quiet">{t('explore.empty')}</p> : null}
      {state === 'loading' ? <p class="quiet">{t('explore.loading')}</p> : null}
      {cursor !== undefined && state === 'there' ? (
        <button type="button" onClick={() => all.more(kind)}>
          {t('explore.more')}
        </button>
      ) : null}
      {known && state !== 'none' ? (
        <button type="button" class="plain" onClick={() => all.reload(kind)}>
          {t('explore.reload')}
        </button>
      ) : null}
      {state === 'there' && items.length > 0 ? (
        <span class="quiet">{t('explore.count', { count: items.length })}</span>
      ) : null}
      {staleAt === undefined ? null : <Freshness staleAt={staleAt} />}
    </div>
  )
}

/** Whether the list is fresh by the server's `ttlMs`. Redrawn when that changes, not each second. */
export function Freshness({ staleAt }: { staleAt: number }) {
  const fresh = useSignal(Date.now() < staleAt)
  useEffect(() => {
    const left = staleAt - Date.now()
    fresh.value = left > 0
    if (left <= 0) return
    const timer = setTimeout(
      () => {
        fresh.value = false
      },
      Math.min(left, 2 ** 31 - 1),
    )
    return () => clearTimeout(timer)
  }, [staleAt, fresh])
  return (
    <span class="chip" data-is={fresh.value ? 'good' : 'warn'}>
      {fresh.value ? t('explore.fresh') : t('explore.stale')}
    </span>
  )
}
