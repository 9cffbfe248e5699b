/** @jsxImportSource preact */
/** Notices below the text: changes of a rewriting, the origin of a message, pending requests of the server. */

import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { selected } from '../base/state.ts'
import { active, revision, setRevision } from '../connections/clients.ts'
import { store } from '../messages/log.ts'
import { pretty } from '../protocol/pretty.ts'
import type { Params } from '../protocol/revisions.ts'
import { schemaOf } from '../protocol/schema.ts'
import { changes, followRevision, rewriteTab } from './follow-revision.ts'
import { retryOf } from './retry.ts'
import { blankOf } from './samples.ts'
import { open, replaceText, tab } from './tabs.ts'
import { focusText } from './view.ts'

export function Notices() {
  useEffect(followRevision, [])
  return (
    <>
      <Changes />
      <FromLink />
      <OtherRevision />
      <PendingRequest />
      <InputRequired />
    </>
  )
}

/** The selected result needs input before the request can complete. */
function InputRequired() {
  const row = selected.value
  if (row === undefined || row >= store.length || store.kind(row) !== 'result') return null
  const request = store.partner(row)
  // a cheap test that avoids parsing large results
  if (request < 0 || !store.raw(row).includes('"input_required"')) return null
  const retry = retryOf(store.raw(request), store.raw(row), revision.value)
  if (!retry) return null
  const method = store.method(row)
  return (
    <div class="compose-notes" role="status">
      <p>{t('compose.needsInput', { method, asks: retry.asks.join(', ') || '…' })}</p>
      <button
        type="button"
        data-command="retry"
        onClick={() => {
          open(retry.text, { title: t('compose.answerTo', { method }) })
          focusText()
        }}
      >
        {t('compose.answer')}
      </button>
    </div>
  )
}

function Changes() {
  const found = changes.value
  if (!found || found.tab !== tab.value.id) return null
  return (
    <div class="compose-notes" role="status">
      <ul>
        {found.notes.map(({ key, params }) => (
          <li key={key}>{t(key, params)}</li>
        ))}
      </ul>
      {found.before !== tab.value.text && (
        <button type="button" onClick={() => replaceText(found.before)}>
          {t('compose.undo')}
        </button>
      )}
      <button type="button" class="plain" onClick={() => (changes.value = undefined)}>
        {t('compose.dismiss')}
      </button>
    </div>
  )
}

function FromLink() {
  const { from } = tab.value
  return from === undefined ? null : (
    <p class="compose-notes" data-from="link">
      {t('share.from', { target: from || t('share.demo') })}
    </p>
  )
}

/** The message and its client differ in revision. */
function OtherRevision() {
  const { revision: written } = tab.value
  if (written === revision.value) return null
  return (
    <div class="compose-notes" data-from="revision">
      <p>{t('compose.otherRevision', { written, spoken: revision.value })}</p>
      <button type="button" onClick={() => setRevision(written)}>
        {t('compose.useRevision', { written })}
      </button>
      <button type="button" onClick={() => rewriteTab(revision.peek())}>
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
  const answer = () => {
    const schema = schemaOf(session.revision.peek(), first.method, 'result')
    const result = schema ? (blankOf(schema, schema.$defs) as Params) : {}
    const title = t('compose.answerTo', { method: first.method })
    open(pretty({ jsonrpc: '2.0', id: first.id, result }), { title })
  }
  return (
    <div class="compose-notes" role="status">
      <p>
        {t('compose.pending', { method: first.method })}
        {more.length > 0 && ` ${t('compose.pendingMore', { count: more.length })}`}
      </p>
      <button type="button" onClick={answer}>
        {t('compose.answer')}
      </button>
      <button
        type="button"
        onClick={() =>
          session.answer(first.id, { error: { code: -32601, message: 'Method not found' } })
        }
      >
        {t('compose.refuse')}
      </button>
    </div>
  )
}
