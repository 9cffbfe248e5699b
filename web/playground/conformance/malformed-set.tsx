/** @jsxImportSource preact */
/** The dialog that sends the set of malformed messages: to one server, or to two, whose reactions are compared. */

import { useComputed, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { showControlCharacters } from '../base/control-characters.ts'
import type { DialogProps } from '../base/dialog-props.ts'
import { t, tag } from '../base/i18n.ts'
import { Icon, IconButton } from '../base/icon.tsx'
import { saveFile } from '../base/save-file.ts'
import { active, sessions } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { isRevision, type Revision, revisions } from '../protocol/revisions.ts'
import { malformedSet } from './malformed.ts'
import type { Requirements } from './report.ts'
import type { SetResult, SetRun } from './run-set.ts'
import {
  loadNames,
  loadRequirements,
  type Names,
  progress,
  setRuns,
  startSet,
  stopRun,
} from './running.ts'
import { expectedText, type Line, linesOf, receivedText, setCsv, setJson } from './set-files.ts'

const nameOf = ({ title }: Session): string => showControlCharacters(title)

/** What is loaded for the dialog: names of the messages, and requirements. */
type Texts = readonly [Names, Requirements]

export function MalformedSet({ close }: DialogProps) {
  const texts = useSignal<Texts | undefined>(undefined)
  const failure = useSignal('')
  const chosen = useSignal<Revision | undefined>(undefined)
  const other = useSignal('')
  useEffect(() => {
    Promise.all([loadNames(), loadRequirements()]).then(
      (loaded) => {
        texts.value = loaded
      },
      (error: unknown) => {
        failure.value = t('base.failedToLoad', { reason: String(error) })
      },
    )
  }, [])
  const others = useComputed(() =>
    sessions.value.filter(
      (one) => one !== active.value && !one.connection.dialer.readOnly && one.peer.value,
    ),
  )
  const session = active.value
  if (!session) return null
  const revision = chosen.value ?? session.revision.value
  const second = others.value.find(({ connection }) => String(connection.id) === other.value)
  const servers = [session, ...(second ? [second] : [])].map((one) => ({
    dialer: one.connection.dialer,
    name: nameOf(one),
  }))
  return (
    <div class="conformance-box">
      <header>
        <h2>{t('conformance.set.title')}</h2>
        <IconButton name="close" label={t('shell.close')} onClick={close} />
      </header>
      <p class="quiet">
        {t('conformance.set.about', {
          count: malformedSet(revision, session.connection.dialer.kind).length,
          server: nameOf(session),
        })}
      </p>
      {failure.value ? <p role="alert">{failure.value}</p> : null}
      <div class="conformance-start">
        {progress.value === undefined ? (
          <button type="button" class="primary" onClick={() => startSet(servers, revision)}>
            {t('conformance.set.send')}
          </button>
        ) : (
          <button type="button" onClick={stopRun}>
            {t('conformance.stop')}
          </button>
        )}
        <label>
          {t('shell.revision')}
          <select
            value={revision}
            translate={false}
            onChange={({ currentTarget: { value } }) => {
              if (isRevision(value)) chosen.value = value
            }}
          >
            {revisions.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        {others.value.length > 0 ? (
          <label>
            {t('conformance.set.with')}
            <select
              name="conformance-other"
              translate={false}
              value={other.value}
              onChange={({ currentTarget: { value } }) => {
                other.value = value
              }}
            >
              <option value="">–</option>
              {others.value.map((one) => (
                <option key={one.connection.id} value={one.connection.id}>
                  {one.connection.letter} {nameOf(one)}
                </option>
              ))}
            </select>
          </label>
        ) : null}
      </div>
      {progress.value === undefined ? null : (
        <progress value={progress.value} aria-label={t('conformance.set.title')} />
      )}
      {setRuns.value.length > 0 && texts.value ? (
        <Found runs={setRuns.value} texts={texts.value} close={close} />
      ) : null}
    </div>
  )
}

interface FoundProps extends DialogProps {
  runs: readonly SetRun[]
  texts: Texts
}

const verdicts = ['failed', 'passed', 'none'] as const
const chips = { failed: 'bad', passed: 'good', none: '' } as const

function Found({ runs, texts: [names, requirements], close }: FoundProps) {
  const named = (id: string) => names[id]?.[tag()] ?? id
  const english = (id: string) => names[id]?.en ?? id
  return (
    <>
      {runs.map((run, index) => (
        <p key={index} role="status" class="conformance-counts">
          {runs.length > 1 ? <strong>{showControlCharacters(run.server)}</strong> : null}
          <span class="quiet" translate={false}>
            {run.revision}
          </span>
          {verdicts.map((verdict) => {
            const count = run.results.filter((one) => one.verdict === verdict).length
            return (
              <span key={verdict} class="chip" data-is={count ? chips[verdict] : ''}>
                {t(`conformance.${verdict}`)} {count}
              </span>
            )
          })}
          {run.stopped ? <strong lang="en">{run.stopped}</strong> : null}
        </p>
      ))}
      <div class="conformance-files">
        <button
          type="button"
          class="ghost"
          onClick={() => saveFile('mcp-set.json', 'application/json', setJson(runs, english))}
        >
          <Icon name="export" /> JSON
        </button>
        <button
          type="button"
          class="ghost"
          onClick={() => saveFile('mcp-set.csv', 'text/csv', setCsv(runs, english))}
        >
          <Icon name="export" /> CSV
        </button>
      </div>
      <div class="data-table conformance-set">
        <table>
          <thead>
            <tr>
              <th scope="col">{t('conformance.set.message')}</th>
              <th scope="col">{t('conformance.set.sent')}</th>
              <th scope="col">{t('conformance.set.expected')}</th>
              {runs.map(({ server }, index) => (
                <th key={index} scope="col">
                  {runs.length > 1 ? showControlCharacters(server) : t('conformance.set.received')}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {linesOf(runs).map((line) => (
              <Row key={line.one.id} {...{ line, runs, requirements, named, close }} />
            ))}
          </tbody>
        </table>
      </div>
    </>
  )
}

interface RowProps extends DialogProps {
  line: Line
  runs: readonly SetRun[]
  requirements: Requirements
  named(id: string): string
}

function Row({ line: { one, received, differs }, runs, requirements, named, close }: RowProps) {
  const [why = '', , page = 'basic/transports/streamable-http'] =
    requirements.checked[one.requirement] ?? []
  const address = page.startsWith('20') ? page : `${runs[0]?.revision}/${page}`
  return (
    <tr data-id={one.id} data-differs={differs}>
      <th scope="row">
        {named(one.id)}{' '}
        {differs ? (
          <span class="chip" data-is="warn">
            {t('conformance.set.differs')}
          </span>
        ) : null}
      </th>
      <td>
        <code translate={false} title={one.text}>
          {one.headers ? one.headers[0]?.join(': ') : showControlCharacters(one.text)}
        </code>
      </td>
      <td data-label={t('conformance.set.expected')}>
        <a
          href={requirements.specification + address}
          target="_blank"
          rel="noreferrer"
          title={why}
          translate={false}
        >
          {expectedText(one)}
        </a>
      </td>
      {received.map((each, index) => (
        <td
          key={index}
          data-label={
            runs.length > 1
              ? showControlCharacters(runs[index]?.server ?? '')
              : t('conformance.set.received')
          }
        >
          {each ? <Received one={each} name={named(one.id)} close={close} /> : null}
        </td>
      ))}
    </tr>
  )
}

function Received({ one, name, close }: DialogProps & { one: SetResult; name: string }) {
  return (
    <>
      <span class="nowrap">
        <span class="chip" data-is={chips[one.verdict]} data-verdict={one.verdict}>
          {t(`conformance.${one.verdict}`)}
        </span>{' '}
        {one.verdict === 'none' ? null : (
          <>
            <code translate={false}>{receivedText({ ...one, reason: '' })}</code>{' '}
            <IconButton
              name="eye"
              label={`${t('shell.inspect')}: ${name}`}
              onClick={() => {
                close()
                actions.inspect(one.row)
              }}
            />
          </>
        )}
      </span>
      {one.message || one.reason ? (
        <span class="quiet" lang="en" translate={false}>
          {showControlCharacters((one.message || one.reason).slice(0, 200))}
        </span>
      ) : null}
    </>
  )
}
