/** @jsxImportSource preact */
/** The composer's tools, loaded when idle: methods, form, history, and notices. */

import { t, tag } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { Menu } from '../base/menu.tsx'
import { show } from '../base/state.ts'
import { active, drafts } from '../connections/clients.ts'
import { titleOf } from '../connections/drafts.ts'
import { withoutId } from '../protocol/json.ts'
import { methodsOf, missingCapability } from '../protocol/methods.ts'
import { abilities, declare, hasAbility, isDeclared } from './client-capabilities.ts'
import { history, removeFromHistory, type Sent, toggleKept } from './history.ts'
import { frameFor } from './samples.ts'
import { replay, sendText } from './send.ts'
import { asForm, editor } from './view.ts'

export { Form } from './form.tsx'
export { Notices } from './notices.tsx'

export function Tools() {
  return (
    <div class="compose-tools toolbar pane-bar">
      <Methods />
      <button
        type="button"
        class="ghost"
        aria-pressed={asForm.value}
        data-show={asForm.value ? 'json' : 'form'}
        onClick={() => {
          asForm.value = !asForm.value
        }}
      >
        {t('compose.form')}
      </button>
      <History />
      <Capabilities />
    </div>
  )
}

/** Methods of the revision. Methods that the server lacks come last, with the reason, and remain selectable. */
function Methods() {
  const draft = drafts.value.open.value
  const { revision: spoken } = draft
  const capabilities = active.value?.peer.value?.capabilities
  const groups = ['request', 'notification'] as const
  const lacking = (name: string) => {
    const method = methodsOf(spoken).find((one) => one.name === name)
    return method && capabilities && method.from !== 'server'
      ? missingCapability(method, capabilities)
      : ''
  }
  const mine = methodsOf(spoken).filter(({ from }) => from !== 'server')
  const shown = titleOf({ ...draft, title: '' })
  const known = mine.some(({ name }) => name === shown)
  return (
    <label class="compose-method wide">
      <span class="unseen">{t('compose.method')}</span>
      <select
        class="quiet-field"
        translate={false}
        value={known ? shown : ''}
        onChange={(event) => {
          const text = frameFor(
            spoken,
            event.currentTarget.value,
            1,
            {},
            active.peek()?.capabilities.peek(),
          ) // Send replaces the id
          drafts.peek().replace(text, { title: '' }) // it was of another message
          const blank = text.indexOf('""')
          if (blank > 0) editor.peek()?.moveTo(blank + 1)
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

/** What the client declares that it can do for the server. */
function Capabilities() {
  const session = active.value
  if (!session || session.connection.dialer.readOnly) return null
  return (
    <Menu label={t('answers.capabilities')}>
      {() =>
        abilities
          .filter((ability) => hasAbility(session.revision.value, ability))
          .map((ability) => (
            <label key={ability} class="item compose-ability">
              <input
                type="checkbox"
                role="switch"
                checked={isDeclared(session.capabilities.value, ability)}
                aria-checked={isDeclared(session.capabilities.value, ability)}
                onChange={(event) => declare(session, ability, event.currentTarget.checked)}
              />{' '}
              <code translate={false}>{ability}</code>
            </label>
          ))
      }
    </Menu>
  )
}

function History() {
  const time = new Intl.DateTimeFormat(tag(), { dateStyle: 'short', timeStyle: 'short' })
  return (
    <Menu label={t('compose.history')} icon="clock">
      {(close) =>
        history().length === 0 ? (
          <p class="quiet">{t('compose.noHistory')}</p>
        ) : (
          <>
            <ul>
              {byKept(history()).map(({ id, text, time: at, to, kept = false }) => (
                <li key={id}>
                  <button
                    type="button"
                    class="plain"
                    title={text.slice(0, 2000)}
                    onClick={() => {
                      drafts.peek().replace(text)
                      close()
                    }}
                  >
                    <span>
                      <code translate={false}>{titleOf({ title: '', text }) || '…'}</code>
                      <br />
                      <span class="quiet">
                        {time.format(at)} · {to}
                      </span>
                    </span>
                  </button>
                  <button
                    type="button"
                    class="plain nowrap"
                    onClick={() => {
                      replay(text)
                      close()
                    }}
                  >
                    {t('compose.replay')}
                  </button>
                  <IconButton
                    name="pin"
                    label={t('compose.keep')}
                    aria-pressed={kept}
                    onClick={() => toggleKept(id)}
                  />
                  <IconButton
                    name="close"
                    label={t('compose.forget', { title: time.format(at) })}
                    onClick={() => removeFromHistory(id)}
                  />
                </li>
              ))}
            </ul>
            <button type="button" onClick={() => removeFromHistory()}>
              {t('compose.forgetAll')}
            </button>
          </>
        )
      }
    </Menu>
  )
}

/** Kept entries first. */
const byKept = (all: readonly Sent[]) =>
  all.toSorted((a, b) => Number(b.kept ?? false) - Number(a.kept ?? false))

/** Other ways to send: as a notification, with this id. */
export function SendMore() {
  const session = active.value
  const mute = session === undefined || session.connection.dialer.readOnly === true
  const pinned = drafts.value.open.value.pinned === true
  return (
    <>
      <Menu label={t('compose.moreWays')} icon="down">
        {(close) => {
          const sendAs = (text: string) => {
            close()
            sendText(text)
          }
          return (
            <>
              <label class="item">
                <input
                  type="checkbox"
                  checked={pinned}
                  onChange={(event) =>
                    drafts.peek().change({ pinned: event.currentTarget.checked })
                  }
                />
                {t('compose.keepId')}
              </label>
              <ul>
                <li>
                  <button
                    type="button"
                    disabled={mute}
                    onClick={() => sendAs(withoutId(drafts.peek().open.peek().text))}
                  >
                    {t('compose.sendNotification')}
                  </button>
                </li>
              </ul>
              <ul>
                <li>
                  <button
                    type="button"
                    data-command="revisions"
                    onClick={() => {
                      close()
                      show({ dialog: 'revisions' })
                    }}
                  >
                    {t('compose.revisions.title')} …
                  </button>
                </li>
              </ul>
            </>
          )
        }}
      </Menu>
      {pinned && <span class="chip">{t('compose.keepId')}</span>}
    </>
  )
}
