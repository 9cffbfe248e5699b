/** @jsxImportSource preact */
/** The tools of the composer, loaded when idle: methods, form, history, breaking, and what has to be said. */

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { t, tag } from '../app/i18n.ts'
import { active, revision, selected, store } from '../app/state.ts'
import { methodsOf, missingCapability } from '../protocol/methods.ts'
import { pretty } from '../protocol/pretty.ts'
import type { Params } from '../protocol/revisions.ts'
import { schemaOf } from '../protocol/schema.ts'
import { blankOf, breakings, broken, frameFor } from './frames.ts'
import { forget, history, load } from './history.ts'
import { retryOf } from './retry.ts'
import { changes, followRevision, rewriteTab } from './revising.ts'
import { sendText, withoutId } from './sending.ts'
import { open, replaceText, tab, titleOf } from './tabs.ts'
import { asForm, editor, focusText } from './view.ts'

export function Tools() {
  return (
    <div class="compose-tools">
      <Methods />
      <button
        type="button"
        aria-pressed={asForm.value}
        data-show={asForm.value ? 'json' : 'form'}
        onClick={() => {
          asForm.value = !asForm.value
        }}
      >
        {t('compose.form')}
      </button>
      <History />
    </div>
  )
}

/** Methods of the revision; what the server lacks is last, with the reason, and can be chosen all the same. */
function Methods() {
  const { revision: spoken } = tab.value
  const capabilities = active.value?.peer.value?.capabilities
  const groups = ['request', 'notification'] as const
  const lacking = (name: string) => {
    const method = methodsOf(spoken).find((one) => one.name === name)
    return method && capabilities && method.from !== 'server'
      ? missingCapability(method, capabilities)
      : ''
  }
  const mine = methodsOf(spoken).filter(({ from }) => from !== 'server')
  const shown = titleOf({ ...tab.value, title: '' })
  const known = mine.some(({ name }) => name === shown)
  return (
    <label class="compose-method">
      <span class="unseen">{t('compose.method')}</span>
      <select
        translate={false}
        value={known ? shown : ''}
        onChange={(event) => {
          const text = frameFor(spoken, event.currentTarget.value, 1) // Send gives it a fresh id
          replaceText(text)
          const blank = text.indexOf('""')
          if (blank > 0) editor.peek()?.set(text, blank + 1)
        }}
      >
        {!known && <option value="">{t('compose.method')}</option>}
        {groups.map((kind) => (
          <optgroup key={kind} label={t(`compose.${kind}s`)}>
            {mine
              .filter((method) => method.kind === kind)
              .sort((a, b) => Number(lacking(a.name) !== '') - Number(lacking(b.name) !== ''))
              .map(({ name }) => (
                <option key={name} value={name}>
                  {lacking(name)
                    ? `${name} (${t('compose.lacks', { capability: lacking(name) })})`
                    : name}
                </option>
              ))}
          </optgroup>
        ))}
      </select>
    </label>
  )
}

/** A button with a list below it, which closes when something is chosen, or the focus goes elsewhere. */
function Menu({
  label,
  children,
}: {
  label: string
  children: (close: () => void) => preact.ComponentChildren
}) {
  const shown = useSignal(false)
  const box = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const close = () => {
    shown.value = false
    button.current?.focus()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only hears what its buttons leave
    <div
      ref={box}
      class="compose-menu"
      onKeyDown={(event) => {
        if (event.key === 'Escape' && shown.peek()) {
          event.stopPropagation()
          close()
        }
      }}
      onFocusOut={(event) => {
        if (!box.current?.contains(event.relatedTarget as Node | null)) shown.value = false
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={shown.value}
        onClick={() => {
          shown.value = !shown.peek()
        }}
      >
        {label} <span aria-hidden="true">▾</span>
      </button>
      {shown.value && (
        // focusable, so that a click beside its buttons does not close it
        <div class="compose-list" tabIndex={-1}>
          {children(close)}
        </div>
      )}
    </div>
  )
}

function History() {
  useEffect(() => void load(), [])
  const time = new Intl.DateTimeFormat(tag(), { dateStyle: 'short', timeStyle: 'short' })
  return (
    <Menu label={t('compose.history')}>
      {(close) =>
        history.value.length === 0 ? (
          <p class="quiet">{t('compose.noHistory')}</p>
        ) : (
          <>
            <ul>
              {history.value.map(({ id, text, time: at, to }) => (
                <li key={id}>
                  <button
                    type="button"
                    class="plain"
                    title={text.slice(0, 2000)}
                    onClick={() => {
                      replaceText(text)
                      close()
                    }}
                  >
                    <code translate={false}>
                      {titleOf({ ...tab.peek(), title: '', text }) || '…'}
                    </code>
                    <span class="quiet">
                      {time.format(at)} · {to}
                    </span>
                  </button>
                  <button
                    type="button"
                    class="plain"
                    onClick={() => {
                      sendText(text)
                      close()
                    }}
                  >
                    {t('compose.replay')}
                  </button>
                  <button
                    type="button"
                    class="plain"
                    aria-label={t('compose.forget', { title: time.format(at) })}
                    onClick={() => forget(id)}
                  >
                    ×
                  </button>
                </li>
              ))}
            </ul>
            <button type="button" onClick={() => forget()}>
              {t('compose.forgetAll')}
            </button>
          </>
        )
      }
    </Menu>
  )
}

/** Beside Send: as a notification, and broken. */
export function SendMore() {
  const session = active.value
  const mute = session === undefined || session.lane.dialer.readOnly === true
  return (
    <>
      <button type="button" disabled={mute} onClick={() => sendText(withoutId(tab.peek().text))}>
        {t('compose.sendNotification')}
      </button>
      <Menu label={t('compose.sendBroken')}>
        {(close) => (
          <ul>
            {breakings.map((how) => (
              <li key={how}>
                <button
                  type="button"
                  class="plain"
                  onClick={() => {
                    sendText(broken(tab.peek().text, how))
                    close()
                  }}
                >
                  {t(`compose.broken.${how}`)}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Menu>
    </>
  )
}

/** What has to be said below the text: what a revision changed, and what the server asks. */
export function Notices() {
  useEffect(followRevision, [])
  return (
    <>
      <Changes />
      <Asked />
      <NeedsInput />
    </>
  )
}

/** The answer that is shown asks for something before the request can be done. */
function NeedsInput() {
  const row = selected.value
  if (row === undefined || row >= store.length || store.kind(row) !== 'result') return null
  const request = store.partner(row)
  // of large answers it is seen at once that they are none
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
  const { revision: spoken, from } = tab.value
  const found = changes.value
  if (found && found.tab === tab.value.id) {
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
          {t('compose.gotIt')}
        </button>
      </div>
    )
  }
  if (from !== undefined) {
    return (
      <p class="compose-notes" data-from="link">
        {t('share.from', { target: from || t('share.demo') })}
      </p>
    )
  }
  if (spoken === revision.value) return null
  return (
    <div class="compose-notes">
      <p>{t('compose.otherRevision', { written: spoken, spoken: revision.value })}</p>
      <button type="button" onClick={() => rewriteTab(revision.peek())}>
        {t('compose.rewrite', { to: revision.value })}
      </button>
    </div>
  )
}

/** Requests of the server that wait for a person. */
function Asked() {
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
        {t('compose.asked', { method: first.method })}
        {more.length > 0 && ` ${t('compose.askedMore', { count: more.length })}`}
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
