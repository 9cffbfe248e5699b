/** @jsxImportSource preact */
/**
 * The composer sends its text unchanged. At first it has tabs, a text area and Send; tools, editor and form
 * are loaded when the browser is idle.
 */

import { signal } from '@preact/signals'
import { createElement } from 'preact'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { loadWhenIdle } from '../base/idle.ts'
import { lazy } from '../base/lazy.tsx'
import { StripMenu, useStrip } from '../base/strip.tsx'
import { active, drafts } from '../connections/clients.ts'
import { type Draft as Text, titleOf } from '../connections/drafts.ts'
import { Draft } from './draft.tsx'
import { registerActions, send } from './send.ts'
import { asForm, editor, problems } from './view.ts'

/** The tools above the text, loaded when idle. */
const tools = signal<typeof import('./tools.tsx') | undefined>(undefined)

const Form = lazy(async () => (await import('./tools.tsx')).Form)

registerActions()

export function Compose() {
  useEffect(() => {
    loadWhenIdle(
      () => import('./tools.tsx'),
      (loaded) => {
        tools.value = loaded
      },
    )
  }, [])
  const shown = tools.value
  return (
    <div class="compose fill">
      <Tabs />
      {shown ? createElement(shown.Tools, {}) : <div class="compose-tools toolbar pane-bar" />}
      {asForm.value && <Form />}
      <div class="compose-text" hidden={asForm.value}>
        <Draft />
      </div>
      {shown ? createElement(shown.Notices, {}) : null}
      {drafts.value.open.value.unsure && <Confirmation />}
      <SendBar />
    </div>
  )
}

function Tabs() {
  const { ref, overflows } = useStrip<HTMLUListElement>()
  const { all, open, shown } = drafts.value
  const name = (one: Text) => titleOf(one) || t('compose.untitled')
  return (
    <div class="compose-tabs">
      <ul class="strip" ref={ref} aria-label={t('compose.tabs')}>
        {all.value.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-current={one.id === open.value.id}
              translate={false}
              onClick={() => (shown.value = one.id)}
            >
              {name(one)}
            </button>
            {all.value.length > 1 && (
              <IconButton
                name="close"
                label={t('compose.close', { title: name(one) })}
                onClick={() => drafts.peek().close(one.id)}
              />
            )}
          </li>
        ))}
      </ul>
      {overflows.value && (
        <StripMenu
          label={t('compose.tabs')}
          items={all.value}
          current={open.value}
          name={name}
          choose={({ id }) => (shown.value = id)}
        />
      )}
      <IconButton
        name="plus"
        label={t('compose.newTab')}
        onClick={() => drafts.peek().add(open.peek().text)}
      />
    </div>
  )
}

function SendBar() {
  const session = active.value
  const listens = session?.connection.dialer.readOnly === true
  const closed = session?.connection.state.value === 'closed'
  const count = problems.value
  return (
    <div class="compose-send toolbar pane-bar">
      <button
        type="button"
        class="primary"
        data-command="send"
        disabled={session === undefined || listens}
        onClick={() => send()}
      >
        {t('compose.send')}
      </button>
      {tools.value ? createElement(tools.value.SendMore, {}) : null}
      {count !== undefined && (
        <button
          type="button"
          class="plain compose-problems last"
          disabled={count === 0}
          onClick={() => {
            asForm.value = false
            editor.peek()?.nextProblem()
          }}
        >
          {t('compose.problems', { count })}
        </button>
      )}
      {listens && <span class="quiet">{t('compose.readOnly')}</span>}
      {closed && !listens && <span class="quiet">{t('compose.closed')}</span>}
    </div>
  )
}

/** Confirmation of a message from a link that leaves this page or has side effects. */
function Confirmation() {
  const title = active.value?.connection.dialer.title ?? ''
  return (
    <div class="compose-notes notice toolbar" data-is="warn" role="alert">
      <p>{t('compose.confirm', { method: titleOf(drafts.value.open.value), target: title })}</p>
      <button type="button" onClick={() => send({ confirmed: true })}>
        {t('compose.sendAnyway')}
      </button>
      <button
        type="button"
        class="plain"
        onClick={() => drafts.peek().change({ unsure: undefined })}
      >
        {t('compose.cancel')}
      </button>
    </div>
  )
}
