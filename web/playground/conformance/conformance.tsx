/** @jsxImportSource preact */
/** The dialog of the conformance check: start, progress, and the report by outcome. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import type { DialogProps } from '../base/dialog-props.ts'
import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { saveFile } from '../base/save-file.ts'
import { active } from '../connections/clients.ts'
import { badge, badgeMarkdown, count, json, junit, type Requirements } from './report.ts'
import type { Outcome, Report } from './run.ts'
import { loadRequirements, progress, report, startRun, stopRun } from './running.ts'

export function Conformance({ close }: DialogProps) {
  const texts = useSignal<Requirements | undefined>(undefined)
  const failure = useSignal('')
  const mayCall = useSignal(false)
  useEffect(() => {
    loadRequirements().then(
      (loaded) => {
        texts.value = loaded
      },
      (error: unknown) => {
        failure.value = t('base.failedToLoad', { reason: String(error) })
      },
    )
  }, [])
  const session = active.value
  const requirements = texts.value
  const total = Object.keys(requirements?.checked ?? {}).length
  return (
    <div class="conformance-box">
      <header>
        <h2>{t('conformance.title')}</h2>
        <IconButton name="close" label={t('shell.close')} onClick={close} />
      </header>
      <p class="quiet">
        {t('conformance.about', {
          count: total,
          server: session?.title ?? '',
        })}
      </p>
      {failure.value ? <p role="alert">{failure.value}</p> : null}
      <div class="conformance-start">
        {progress.value === undefined ? (
          <button
            type="button"
            class="primary"
            disabled={!session || session.connection.dialer.readOnly}
            onClick={() => session && startRun(session.connection.dialer, mayCall.value)}
          >
            {t('conformance.run')}
          </button>
        ) : (
          <button type="button" onClick={stopRun}>
            {t('conformance.stop')}
          </button>
        )}
        <label>
          <input
            type="checkbox"
            checked={mayCall.value}
            onChange={({ currentTarget: { checked } }) => {
              mayCall.value = checked
            }}
          />
          {t('conformance.mayCall')}
        </label>
      </div>
      {progress.value === undefined ? null : (
        <progress value={progress.value} aria-label={t('conformance.title')} />
      )}
      {report.value && requirements ? (
        <Found report={report.value} requirements={requirements} close={close} />
      ) : null}
    </div>
  )
}

interface FoundProps extends DialogProps {
  report: Report
  requirements: Requirements
}

const states = ['failed', 'passed', 'none'] as const
const chips = { failed: 'bad', passed: 'good', none: '' } as const

function Found({ report, requirements, close }: FoundProps) {
  const copy = async () => {
    await navigator.clipboard.writeText(badgeMarkdown(report)).then(
      () => actions.announce(t('base.copied')),
      () => actions.announce(t('base.notCopied')),
    )
  }
  const others = Object.entries(requirements.others)
  return (
    <>
      <p role="status" class="conformance-counts">
        {states.map((state) => (
          <span
            key={state}
            class="chip"
            data-is={count(report, state) ? chips[state] : ''}
            data-state={state}
          >
            {t(`conformance.${state}`)} {count(report, state)}
          </span>
        ))}
        {report.stopped ? <strong lang="en">{report.stopped}</strong> : null}
      </p>
      <div class="conformance-files">
        <button
          type="button"
          class="ghost"
          onClick={() =>
            saveFile('mcp-conformance.xml', 'application/xml', junit(report, requirements))
          }
        >
          JUnit
        </button>
        <button
          type="button"
          class="ghost"
          onClick={() =>
            saveFile('mcp-conformance.json', 'application/json', json(report, requirements))
          }
        >
          JSON
        </button>
        <button
          type="button"
          class="ghost"
          onClick={() => saveFile('mcp-conformance.svg', 'image/svg+xml', badge(report))}
        >
          SVG
        </button>
        <button type="button" class="ghost" onClick={copy}>
          Markdown
        </button>
      </div>
      {states.map((state) => (
        <Group key={state} {...{ state, report, requirements, close }} />
      ))}
      <details>
        <summary>{t('conformance.others')}</summary>
        <dl lang="en">
          {others.map(([reason, ids]) => (
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

function Group({ state, report, requirements, close }: FoundProps & { state: Outcome['state'] }) {
  const all = report.outcomes.filter((one) => one.state === state)
  if (all.length === 0) return null
  return (
    <details open={state === 'failed'} data-state={state}>
      <summary>
        {t(`conformance.${state}`)} {all.length}
      </summary>
      <ul lang="en" translate={false}>
        {all.map((one) => (
          <Row key={one.id} outcome={one} requirements={requirements} close={close} />
        ))}
      </ul>
    </details>
  )
}

interface RowProps extends DialogProps {
  outcome: Outcome
  requirements: Requirements
}

function Row({ outcome: { id, reason, evidence }, requirements, close }: RowProps) {
  const [text = '', level = '', page = ''] = requirements.checked[id] ?? []
  const row = evidence[0]?.row
  return (
    <li data-id={id}>
      <div>
        <a href={requirements.specification + page} target="_blank" rel="noreferrer">
          {id}
        </a>{' '}
        <span class="chip">{level}</span> {text}
        {reason ? <p class="quiet">{reason}</p> : null}
      </div>
      {row === undefined ? null : (
        <IconButton
          name="eye"
          label={`${t('shell.inspect')}: ${id}`}
          onClick={() => {
            close()
            actions.inspect(row)
          }}
        />
      )}
    </li>
  )
}
