/** @jsxImportSource preact */
/** Notices below the text: changes of a rewriting, the origin of a message, pending requests of the server. */

import { signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { InlineCode } from '../base/inline-code.tsx'
import { lazy } from '../base/lazy.tsx'
import { selected, show } from '../base/state.ts'
import { active, drafts, revision, sessionOf, setRevision } from '../connections/clients.ts'
import { store } from '../messages/log.ts'
import { showAnswer } from '../messages/select-answer.ts'
import { pretty } from '../protocol/pretty.ts'
import { type Params, revisionOf } from '../protocol/revisions.ts'
import { schemaOf } from '../protocol/schema.ts'
import type { AnswersProps } from './answers.tsx'
import { declareAndRetry, requiredOf } from './client-capabilities.ts'
import { followRevision, rewriteDraft, takeBack } from './follow-revision.ts'
import { asksOf, pagesOf, retryOf, retryWith } from './retry.ts'
import { blankOf } from './samples.ts'
import { TaskNotice } from './task-notice.tsx'
import { focusText } from './view.ts'

const Answers = lazy<AnswersProps>(async () => (await import('./answers.tsx')).Answers)

export function Notices() {
  useEffect(followRevision, [])
  return (
    <>
      <Changes />
      <FromLink />
      <OtherRevision />
      <PendingRequest />
      <InputRequired />
      <UrlRequired />
      <MissingCapability />
      <OpenTask />
    </>
  )
}

/** Folded by the user, forms stay folded, whatever the server sends next. */
const unfolded = signal(true)

/** A request of the server, with its form. */
function Request({ about, children }: { about: string; children: ComponentChildren }) {
  return (
    <>
      <p role="status" class="unseen">
        {about}
      </p>
      <details
        class="compose-notes notice"
        open={unfolded.value}
        onToggle={(event) => {
          unfolded.value = event.currentTarget.open
        }}
      >
        <summary>{about}</summary>
        {children}
      </details>
    </>
  )
}

/** The selected row, its request and its client, or the active one if that is closed. */
function exchange() {
  const row = selected.value
  store.emptied.value
  if (row === undefined || row >= store.length) return undefined
  const request = store.partner(row)
  const session = sessionOf(store.connection(row)) ?? active.value
  if (request < 0 || !session || session.connection.dialer.readOnly) return undefined
  return store.direction(request) === 'out' ? { row, request, session } : undefined
}

/** The selected result needs input before the request can complete. */
function InputRequired() {
  const found = exchange()
  if (!found || store.state(found.row) !== 'input') return null
  const { row, request, session } = found
  const answer = store.raw(row)
  const asks = asksOf(answer)
  if (!asks) return null
  const method = store.method(row)
  const names = asks.map((ask) => ask.method).join(', ')
  return (
    <Request about={t('compose.needsInput', { method, asks: names.slice(0, 200) || '…' })}>
      <Answers
        key={row}
        asks={asks}
        session={session}
        done={(results) => {
          const text = retryWith(store.raw(request), answer, results, session.nextId())
          showAnswer(session.connection.send(JSON.stringify(text)))
        }}
      />
      <button
        type="button"
        class="ghost"
        data-command="retry"
        onClick={() => {
          const spoken = revisionOf(store.revision(row), session.revision.peek())
          const retry = retryOf(store.raw(request), answer, spoken)
          if (retry) session.drafts.add(retry.text, { title: t('compose.answerTo', { method }) })
          focusText()
        }}
      >
        {t('compose.answer')}
      </button>
    </Request>
  )
}

/** The selected error of 2025-11-25 names pages to visit before the request can succeed. */
function UrlRequired() {
  const found = exchange()
  if (!found || store.code(found.row) !== -32042) return null
  const { row, request, session } = found
  const asks = pagesOf(store.message(row))
  if (asks.length === 0) return null
  const method = store.method(row)
  return (
    <Request about={t('compose.needsInput', { method, asks: 'elicitation/create' })}>
      <Answers
        key={row}
        asks={asks}
        session={session}
        done={(results) => {
          const all = Object.values(results) as { action: string }[]
          if (all.some(({ action }) => action !== 'accept')) return
          const message = JSON.parse(store.raw(request)) as Params
          const again = JSON.stringify({ ...message, id: session.nextId() })
          showAnswer(session.connection.send(again))
        }}
      />
    </Request>
  )
}

/** The selected error names capabilities that the client did not declare. */
function MissingCapability() {
  const found = exchange()
  if (!found || store.code(found.row) !== -32021) return null
  const { row, request, session } = found
  const message = store.message(row)
  const ability = requiredOf(message).join(', ')
  if (!ability) return null
  return (
    <div class="compose-notes notice toolbar" role="status">
      <p>{t('explain.cause.ability', { ability })}</p>
      <button
        type="button"
        data-command="declare"
        onClick={() => declareAndRetry(session, store.raw(request), message)}
      >
        {t('answers.declare', { ability })}
      </button>
    </div>
  )
}

/** The selected result is the state of a task that goes on. */
function OpenTask() {
  const found = exchange()
  return found && store.kind(found.row) === 'result' ? <TaskNotice {...found} /> : null
}

function Changes() {
  const { open, rewritten } = drafts.value
  const found = rewritten.value
  if (found?.before.id !== open.value.id) return null
  return (
    <div class="compose-notes notice toolbar" role="status">
      <ul class="bullets">
        {found.notes.map(({ key, params }) => (
          <li key={key}>
            <InlineCode text={t(key, params)} />
          </li>
        ))}
      </ul>
      {found.before.text !== open.value.text && (
        <button type="button" onClick={takeBack}>
          {t('compose.undo')}
        </button>
      )}
      <button type="button" onClick={() => show({ dialog: 'revisions' })}>
        {t('compose.revisions.title')}
      </button>
      <button type="button" class="plain" onClick={() => (rewritten.value = undefined)}>
        {t('compose.dismiss')}
      </button>
    </div>
  )
}

function FromLink() {
  const { from } = drafts.value.open.value
  return from === undefined ? null : (
    <p class="compose-notes notice toolbar" data-from="link">
      {t('share.from', { target: from || t('share.demo') })}
    </p>
  )
}

/** The message and its client differ in revision. */
function OtherRevision() {
  const { revision: written } = drafts.value.open.value
  if (written === revision.value) return null
  return (
    <div class="compose-notes notice toolbar" data-from="revision">
      <p>{t('compose.otherRevision', { written, spoken: revision.value })}</p>
      <button type="button" onClick={() => setRevision(written)}>
        {t('compose.useRevision', { written })}
      </button>
      <button type="button" onClick={() => rewriteDraft(revision.peek())}>
        {t('compose.rewrite', { to: revision.value })}
      </button>
    </div>
  )
}

/** Requests of the server that wait for the user's response. */
function PendingRequest() {
  const session = active.value
  const [first, ...more] = session?.asked.value ?? []
  if (!session || !first) return null
  const { row, id, method, params } = first
  const write = () => {
    const schema = schemaOf(session.revision.peek(), method, 'result')
    const result = schema ? (blankOf(schema, schema.$defs) as Params) : {}
    session.drafts.add(pretty({ jsonrpc: '2.0', id, result }), {
      title: t('compose.answerTo', { method }),
    })
  }
  const refusal =
    method === 'sampling/createMessage'
      ? { code: -1, message: 'User rejected sampling request' } // MCP 2025-11-25, client/sampling, Error Handling
      : { code: -32601, message: 'Method not found' }
  return (
    <Request
      about={`${t('compose.pending', { method })} ${
        more.length > 0 ? t('compose.pendingMore', { count: more.length }) : ''
      }`}
    >
      <Answers
        key={`${session.connection.id} ${row}`}
        asks={[{ key: 'own', method, params }]}
        session={session}
        done={({ own }) => session.answer(id, { result: own })}
        refuse={() => session.answer(id, { error: refusal })}
      />
      <button type="button" class="ghost" onClick={write}>
        {t('compose.answer')}
      </button>
    </Request>
  )
}
