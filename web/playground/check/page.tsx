/** @jsxImportSource preact */
/** The page "Check a server": the address, progress, and the report by outcome. */

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { saveFile } from '../base/save-file.ts'
import { hostNeedingConsent } from '../connections/consent.ts'
import { dialerOf } from '../connections/dialer-of.ts'
import { type HeaderRow, HeaderRows, usableHeaders } from '../connections/header-rows.tsx'
import { inPage } from '../connections/in-page.ts'
import { Consent, type Question } from '../connections/question.tsx'
import type { Dialer } from '../connections/transport.ts'
import { Store } from '../messages/store.ts'
import { type Check, parseChecks } from './parse.ts'
import { count, json, junit, type Requirements } from './report.ts'
import { type Outcome, type Report, runChecks } from './run.ts'

export const problem = (error: unknown): string =>
  t('base.failedToLoad', { reason: error instanceof Error ? error.message : String(error) })

interface Data {
  checks: readonly Check[]
  requirements: Requirements
}

async function load(): Promise<Data> {
  const file = async (name: string) => {
    const response = await fetch(new URL(`check/${name}`, document.baseURI))
    if (!response.ok) throw new Error(`${name}: status ${response.status}`)
    return response.text()
  }
  const [checks, requirements] = await Promise.all([
    file('checks.txtar'),
    file('requirements.json'),
  ])
  return { checks: parseChecks(checks), requirements: JSON.parse(requirements) as Requirements }
}

const openDemo = (): Dialer =>
  inPage('demo', async (closed) => (await import('../demo/demo.ts')).demoPort(closed))

/** @param props.server - the address that the form begins with */
export function CheckPage({ server }: { server: string }) {
  const data = useSignal<Data | undefined>(undefined)
  const failure = useSignal('')
  const progress = useSignal<number | undefined>(undefined)
  const report = useSignal<Report | undefined>(undefined)
  const mayCall = useSignal(false)
  const running = useSignal<AbortController | undefined>(undefined)
  useEffect(() => {
    load().then(
      (loaded) => {
        data.value = loaded
      },
      (error: unknown) => {
        failure.value = problem(error)
      },
    )
  }, [])
  const run = async (dialer: Dialer) => {
    if (!data.value || running.peek()) return
    running.value = new AbortController()
    report.value = undefined
    progress.value = 0
    try {
      report.value = await runChecks(dialer, data.value.checks, {
        store: new Store((done) => queueMicrotask(done)),
        mayCall: mayCall.peek(),
        signal: running.value.signal,
        progressed(part) {
          progress.value = part
        },
      })
    } finally {
      running.value = undefined
      progress.value = undefined
    }
  }
  return (
    <main class="check stack">
      <header class="head">
        <h1>{t('check.title')}</h1>
        <a href="./">{t('check.playground')}</a>
      </header>
      <p class="quiet">
        {t('check.about', { count: Object.keys(data.value?.requirements.checked ?? {}).length })}
      </p>
      {failure.value ? <p role="alert">{failure.value}</p> : null}
      <Address server={server} run={run} isRunning={running.value !== undefined} />
      <p class="toolbar">
        <label>
          <input
            type="checkbox"
            checked={mayCall.value}
            onChange={({ currentTarget: { checked } }) => {
              mayCall.value = checked
            }}
          />
          {t('check.mayCall')}
        </label>
        {running.value ? (
          <button type="button" onClick={() => running.peek()?.abort()}>
            {t('check.stop')}
          </button>
        ) : null}
      </p>
      {progress.value === undefined ? null : (
        <progress value={progress.value} aria-label={t('check.title')} />
      )}
      {report.value && data.value ? (
        <Found report={report.value} requirements={data.value.requirements} />
      ) : null}
    </main>
  )
}

interface AddressProps {
  server: string
  run(dialer: Dialer): void
  isRunning: boolean
}

function Address({ server, run, isRunning }: AddressProps) {
  const url = useSignal(server)
  const headers: Signal<readonly HeaderRow[]> = useSignal([])
  const wrong = useSignal('')
  const asking = useSignal<Question | undefined>(undefined)
  const submit = (event: Event) => {
    event.preventDefault()
    const address = url.value.trim()
    const own = usableHeaders(headers.value)
    const dialer =
      typeof own === 'string'
        ? own
        : dialerOf(/^wss?:/i.test(address) ? 'ws' : 'http', address, { headers: own })
    wrong.value = typeof dialer === 'string' ? dialer : ''
    if (typeof dialer === 'string') return
    const host = hostNeedingConsent(address)
    if (host === undefined) run(dialer)
    else asking.value = { host, proceed: () => run(dialer) }
  }
  return (
    <form class="stack" onSubmit={submit}>
      <label class="field">
        {t('connections.url')}
        <input
          type="url"
          name="url"
          lang="en"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="https://… wss://…"
          value={url.value}
          aria-describedby="check-wrong"
          onInput={({ currentTarget }) => {
            url.value = currentTarget.value
            asking.value = undefined
          }}
        />
      </label>
      <HeaderRows rows={headers} />
      <p id="check-wrong" role="alert">
        {wrong.value}
      </p>
      {asking.value ? (
        <Consent question={asking.value} end={() => (asking.value = undefined)} />
      ) : (
        <p class="toolbar">
          <button type="submit" class="primary" disabled={isRunning}>
            {t('check.run')}
          </button>
          <button
            type="button"
            data-check="demo"
            disabled={isRunning}
            onClick={() => run(openDemo())}
          >
            {t('check.demo')}
          </button>
        </p>
      )}
    </form>
  )
}

interface FoundProps {
  report: Report
  requirements: Requirements
}

const states = ['failed', 'passed', 'none'] as const
const chips = { failed: 'bad', passed: 'good', none: '' } as const

function Found({ report, requirements }: FoundProps) {
  const files = [
    ['JUnit', 'mcp-check.xml', 'application/xml', junit],
    ['JSON', 'mcp-check.json', 'application/json', json],
  ] as const
  return (
    <>
      <p role="status" class="toolbar check-counts">
        {states.map((state) => (
          <span
            key={state}
            class="chip"
            data-is={count(report, state) ? chips[state] : ''}
            data-state={state}
          >
            {t(`check.${state}`)} {count(report, state)}
          </span>
        ))}
        {report.stopped ? <strong lang="en">{report.stopped}</strong> : null}
        {files.map(([title, name, type, format]) => (
          <button
            key={title}
            type="button"
            class="ghost"
            onClick={() => saveFile(name, type, format(report, requirements))}
          >
            {title}
          </button>
        ))}
      </p>
      {states.map((state) => (
        <Group key={state} {...{ state, report, requirements }} />
      ))}
      <details>
        <summary>{t('check.others')}</summary>
        <dl lang="en">
          {Object.entries(requirements.others).map(([reason, ids]) => (
            <div key={reason}>
              <dt>{reason}</dt>
              <dd class="quiet">{ids}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  )
}

function Group({ state, report, requirements }: FoundProps & { state: Outcome['state'] }) {
  const all = report.outcomes.filter((one) => one.state === state)
  if (all.length === 0) return null
  return (
    <details open={state === 'failed'} data-state={state}>
      <summary>
        {t(`check.${state}`)} {all.length}
      </summary>
      <ul lang="en" translate={false}>
        {all.map((one) => (
          <Row key={one.id} outcome={one} requirements={requirements} />
        ))}
      </ul>
    </details>
  )
}

function Row({
  outcome: { id, reason, evidence },
  requirements,
}: {
  outcome: Outcome
  requirements: Requirements
}) {
  const [text = '', level = '', page = ''] = requirements.checked[id] ?? []
  return (
    <li class="list-row" data-id={id}>
      <div>
        <a href={requirements.specification + page} target="_blank" rel="noreferrer">
          {id}
        </a>{' '}
        <span class="chip">{level}</span> {text}
        {reason ? <p class="quiet">{reason}</p> : null}
        {evidence.length > 0 ? (
          <details>
            <summary>{evidence[0]?.revision}</summary>
            {evidence.map(({ revision, sent, wanted, received }, i) => (
              <dl key={i}>
                <dt>
                  {t('check.sent')} <span class="quiet">{revision}</span>
                </dt>
                <dd>
                  <code>{shortened(sent)}</code>
                </dd>
                <dt>{t('check.wanted')}</dt>
                <dd>
                  <code>{shortened(wanted)}</code>
                </dd>
                <dt>{t('check.received')}</dt>
                <dd>
                  <code>{shortened(received)}</code>
                </dd>
              </dl>
            ))}
          </details>
        ) : null}
      </div>
    </li>
  )
}

const maxText = 2000 // UTF-16 code units

const shortened = (text: string): string =>
  text.length > maxText ? `${text.slice(0, maxText)}…` : text || '–'
