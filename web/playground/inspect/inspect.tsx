/** @jsxImportSource preact */
/** One message: preview, JSON, raw text, comparison and explanation. */

import { useComputed, useSignal } from '@preact/signals'
import type { TargetedKeyboardEvent } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { showAppOf } from '../apps/commands.ts'
import { appOf, openApp } from '../apps/find.ts'
import { actions } from '../base/actions.ts'
import { showControlCharacters } from '../base/control-characters.ts'
import { copyText } from '../base/copy-text.ts'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { change, settings } from '../base/settings.ts'
import { show } from '../base/state.ts'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { directionText } from '../timeline/format.ts'
import { canCancel, cancel, canEdit, canResend, edit, resend } from './actions.ts'
import { Chips } from './chips.tsx'
import { CopyAs } from './copy-as.tsx'
import { Diff } from './diff.tsx'
import { Explain } from './explain.tsx'
import { httpLines } from './http-lines.ts'
import { Preview } from './preview.tsx'
import { shownRow, shownState } from './shown-row.ts'
import { Tree } from './tree.tsx'
import { pinned, type Tab, tab, tabFor, tabs } from './view.ts'

export function Inspect() {
  const row = shownRow.value
  const app = openApp.value
  return (
    <>
      <Message row={row} />
      {app && <app.View key={app.row} hidden={row !== app.row || tabFor(row) !== 'app'} />}
    </>
  )
}

function Message({ row }: { row: number | undefined }) {
  if (row === undefined) return <p class="lead">{t('inspect.nothing')}</p>
  if (store.isArchived(row)) return <Restoring row={row} />
  if (tabFor(row) === 'app')
    return (
      <div class="in">
        <Head row={row} />
        <Tabs row={row} />
      </div>
    )
  return (
    <div class="in fill">
      <div class="in-scroll">
        <Head row={row} />
        <Chips key={row} row={row} />
        <Tabs row={row} />
        <div
          class="in-body"
          data-view={tabFor(row)}
          role="tabpanel"
          id="in-panel"
          aria-labelledby={`in-${tabFor(row)}`}
        >
          <Body key={`${row} ${tabFor(row)}`} row={row} shown={tabFor(row)} />
        </div>
        <details
          class="in-explain"
          open={settings.value.explaining}
          onToggle={({ currentTarget }) => change({ explaining: currentTarget.open })}
        >
          <summary>{t('inspect.explain')}</summary>
          {settings.value.explaining && <Explain key={row} row={row} />}
        </details>
      </div>
      <Actions row={row} />
    </div>
  )
}

/** A message whose text is loaded from the archive. */
function Restoring({ row }: { row: number }) {
  const lost = useSignal(false)
  useComputed(() => store.changed.value).value // redraw when it is loaded
  useEffect(() => {
    store.restore(row).catch(() => {
      lost.value = true
    })
  }, [row, lost])
  return <p class="lead">{t(lost.value ? 'inspect.lost' : 'base.loading')}</p>
}

function Head({ row }: { row: number }) {
  shownState.value
  const partner = store.partner(row)
  const kind = store.kind(row)
  const { letter, title } = clientName(store.connection(row))
  return (
    <header class="in-head">
      <div class="head">
        <h2>
          {letter && <span class="letter">{letter}</span>} {t(`inspect.${kind}`)}{' '}
          <code lang="en" translate={false}>
            {store.method(row)}
          </code>
        </h2>
        {partner >= 0 && (
          <button type="button" class="ghost" onClick={() => actions.inspect(partner)}>
            {t(partner > row ? 'inspect.toAnswer' : 'inspect.toRequest')}
          </button>
        )}
      </div>
      <p class="quiet">
        {directionText(store, row)} · {title}
        {store.id(row) && ` · id ${store.id(row)}`}
        {store.target(row) && (
          <>
            {' · '}
            <span class="in-target">{showControlCharacters(store.target(row))}</span>
          </>
        )}
      </p>
    </header>
  )
}

function Tabs({ row }: { row: number }) {
  shownState.value
  const shown = tabs.filter((name) =>
    name === 'diff' ? store.kind(row) === 'result' : name !== 'app' || appOf(row) !== undefined,
  )
  const chosen = tabFor(row)
  const choose = (name: Tab) => {
    if (name === 'app') void showAppOf(row)
    else tab.value = name
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    const index = shown.indexOf(chosen)
    const next = shown[(index + step + shown.length) % shown.length] as Tab
    choose(next)
    document.getElementById(`in-${next}`)?.focus()
    event.preventDefault()
  }
  return (
    <div class="tabs" role="tablist" aria-label={t('inspect.view')} onKeyDown={onKeyDown}>
      {shown.map((name) => (
        <button
          key={name}
          id={`in-${name}`}
          type="button"
          role="tab"
          data-show={name}
          aria-selected={chosen === name}
          data-command={name === 'app' ? 'app' : undefined}
          aria-controls={name === 'app' ? 'in-app-panel' : 'in-panel'}
          tabIndex={chosen === name ? 0 : -1}
          onClick={() => choose(name)}
        >
          {t(`inspect.${name}`)}
        </button>
      ))}
    </div>
  )
}

function Body({ row, shown }: { row: number; shown: Tab }) {
  const message = useMemo(() => store.message(row), [row])
  switch (shown) {
    case 'json':
      return message === undefined ? (
        <p class="quiet">{t('inspect.noJson')}</p>
      ) : (
        <Tree value={message} open={6} />
      )
    case 'raw': {
      const http = httpLines(store, row)
      return (
        <>
          {http.length > 0 ? (
            <pre class="in-text in-http">{http.map(showControlCharacters).join('\n')}</pre>
          ) : null}
          <pre class="in-text in-raw">{showControlCharacters(store.raw(row))}</pre>
          <button type="button" onClick={() => copyText(store.raw(row))}>
            {t('inspect.copyRaw')}
          </button>
        </>
      )
    }
    case 'diff':
      return <Diff row={row} />
    default:
      return <Preview row={row} />
  }
}

function Actions({ row }: { row: number }) {
  shownState.value
  return (
    <p class="in-acts toolbar pane-bar">
      <button type="button" class="ghost" disabled={!canEdit(row)} onClick={() => edit(row)}>
        <Icon name="edit" /> {t('inspect.edit')}
      </button>
      <button type="button" class="ghost" disabled={!canResend(row)} onClick={() => resend(row)}>
        <Icon name="refresh" /> {t('inspect.resend')}
      </button>
      {(store.state(row) === 'input' || store.code(row) === -32021) && (
        <button type="button" onClick={() => show({ pane: 'compose' })}>
          {t('compose.answer')}
        </button>
      )}
      {canCancel(row) && (
        <button type="button" data-command="cancel" onClick={() => cancel(row)}>
          {t('inspect.cancel')}
        </button>
      )}
      <CopyAs key={row} row={row} />
      {store.kind(row) === 'result' && (
        <button
          type="button"
          class="ghost"
          aria-pressed={pinned.value === row}
          onClick={() => {
            pinned.value = pinned.value === row ? undefined : row
          }}
        >
          <Icon name="pin" /> {t('inspect.pin')}
        </button>
      )}
    </p>
  )
}
