/** @jsxImportSource preact */
/** Short facts about a message: latency, size, freshness, type, validity. */

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { duration } from '../base/numbers.ts'
import { sizeText } from '../base/size.ts'
import { catalogue } from '../connections/catalogue.ts'
import { store } from '../messages/log.ts'
import { outcome } from '../timeline/format.ts'
import { hinted, hintsOf, useHints } from '../timeline/hints.ts'
import { statusOf } from '../timeline/status.ts'
import { sessionOf } from './actions.ts'
import { cachingOf, partsOf } from './contents.ts'
import { latenciesOf } from './latencies.ts'
import { shownState } from './shown-row.ts'
import { keepsPromise, promisedFile } from './skill-digest.ts'

export function Chips({ row }: { row: number }) {
  shownState.value
  const kind = store.kind(row)
  const answer = kind === 'result' || kind === 'error'
  const message = useMemo(() => store.message(row), [row])
  const types = useMemo(
    () => [...new Set(partsOf(message).map(({ mimeType }) => mimeType))].filter(Boolean),
    [message],
  )
  const status = statusOf(store, row)
  const caching = useMemo(() => cachingOf(message), [message])
  return (
    <p class="in-chips toolbar">
      {outcome(store, row) && (
        <span
          class="chip"
          data-is={status === 'ok' ? 'good' : /input|waiting/.test(status) ? 'warn' : 'bad'}
        >
          {outcome(store, row)}
        </span>
      )}
      {kind === 'result' && store.method(row) === 'resources/read' && (
        <Digest key={row} row={row} />
      )}
      {answer && !Number.isNaN(store.latency(row)) && <Latency row={row} />}
      {kind !== 'world' && <span class="chip">{sizeText(store.size(row))}</span>}
      {types.map((type) => (
        <span key={type} class="chip">
          {type}
        </span>
      ))}
      {caching && caching.ttlMs > 0 && (
        <Freshness until={store.time(row) + caching.ttlMs} scope={caching.scope} />
      )}
      {kind !== 'world' && <Validity row={row} />}
    </p>
  )
}

/** Of a file of a skill: whether it is the listed one. */
function Digest({ row }: { row: number }) {
  const kept = useSignal<boolean | undefined>(undefined)
  const session = sessionOf(row)
  const skills = session && catalogue(session).lists.skills.value.items
  useEffect(() => {
    const file = skills && promisedFile(skills, store.target(row))
    if (file)
      keepsPromise(store.message(row), file).then((is) => {
        kept.value = is
      })
  }, [skills])
  if (kept.value === undefined) return null
  return (
    <span class="chip" data-is={kept.value ? 'good' : 'bad'}>
      {t(kept.value ? 'inspect.digest' : 'inspect.wrongDigest')}
    </span>
  )
}

/** The latency, beside the usual one of the method. */
function Latency({ row }: { row: number }) {
  const usual = useMemo(() => latenciesOf(store, store.method(row)), [row])
  return (
    <span class="chip">
      {duration(store.latency(row))}
      {usual &&
        ` · ${t('inspect.usual', { count: usual.count, p50: duration(usual.p50), p95: duration(usual.p95) })}`}
    </span>
  )
}

/** Counts down until the result is stale. */
function Freshness({ until, scope }: { until: number; scope: string }) {
  const now = useSignal(Date.now())
  const left = Math.max(0, until - now.value)
  useEffect(() => {
    if (until <= Date.now()) return
    const timer = setInterval(() => {
      now.value = Date.now()
      if (now.value >= until) clearInterval(timer)
    }, 1000)
    return () => clearInterval(timer)
  }, [until, now])
  return (
    <span class="chip" data-is={left > 0 ? 'good' : 'warn'}>
      {left > 0
        ? t('inspect.fresh', { time: duration(Math.ceil(left / 1000) * 1000) })
        : t('inspect.stale')}
      {scope && ` · ${scope}`}
    </span>
  )
}

function Validity({ row }: { row: number }) {
  hinted.value
  useHints(() => [row])
  const hints = hintsOf(row)
  if (!hints) return null
  return hints.length > 0 ? (
    <span class="chip" data-is="bad">
      {t('timeline.hints', { count: hints.length })}
    </span>
  ) : (
    <span class="chip" data-is="good">
      {t('inspect.valid')}
    </span>
  )
}
