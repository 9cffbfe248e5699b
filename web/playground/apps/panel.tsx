/** @jsxImportSource preact */
/** An MCP app in Inspect: its sandboxed frame, its questions, and what it says. One app is open at a time. */

import { effect, type Signal, signal } from '@preact/signals'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { guardClicks } from '../../src/dialog-parts.ts'
import { actions } from '../base/actions.ts'
import { Head } from '../base/head.tsx'
import { t, tag } from '../base/i18n.ts'
import { theme } from '../base/theme.ts'
import { catalogue } from '../connections/catalogue.ts'
import { Connection } from '../connections/connection.ts'
import { setClientName } from '../connections/names.ts'
import { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import type { Params } from '../protocol/revisions.ts'
import { type FoundApp, openApp } from './find.ts'
import { type AppContext, hostApp, type Question, type ToolCall } from './host.ts'
import { type AppNeeds, needsOf, withPolicy } from './policy.ts'

const mimeType = /^text\/html;\s*profile="?mcp-app"?$/i
const maxHtml = 5_000_000 // UTF-16 code units
const heights = { least: 80, most: 600 } // px

interface App {
  uri: string
  html: string
  needs: AppNeeds
  /** Whether the user lets it run. Asked for each app: WebRTC sends past its policy in most browsers. */
  agreed: Signal<boolean>
  height: Signal<number>
  said: Signal<string>
  asked: Signal<readonly (Question & { answer(yes: boolean): void })[]>
  /** Connects a frame that has loaded the sandbox. */
  start(frame: HTMLIFrameElement): void
  close(): Promise<void>
}

/** Closes the open app. */
let closeOpen: (() => Promise<void>) | undefined
let opened = 0 // counts apps, so that of two that open at once the later one stays

function context(): AppContext {
  const dark =
    theme.value === 'dark' ||
    (theme.value !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  return { theme: dark ? 'dark' : 'light', locale: tag() }
}

/** Reads the app's resource as a client of its own, and opens it. */
export async function open({ session, uri, tool }: FoundApp, row: number): Promise<void> {
  const turn = ++opened
  await closeOpen?.()
  const connection = new Connection(session.connection.dialer, 'V', store)
  setClientName(connection.id, { letter: 'V', title: uri })
  const own = new Session(connection, session.revision.peek())
  connection.open()
  await own.handshake()
  const { result, error } = await own.request('resources/read', { uri })
  const contents = Array.isArray(result?.contents) ? (result.contents as Params[]) : []
  const found = contents.find((one) => one?.uri === uri && mimeType.test(String(one.mimeType)))
  const html = textOf(found)
  if (turn !== opened) return connection.close()
  if (!found || html === undefined || html.length > maxHtml) {
    connection.close()
    actions.announce(
      t('apps.failed', { uri, reason: error?.message ?? 'text/html;profile=mcp-app' }),
    )
    return
  }
  const asked: App['asked'] = signal([])
  const needs = needsOf(found._meta)
  const height = signal(heights.least * 2)
  const said = signal('')
  let stop = () => {}
  let port: MessagePort | undefined
  const host = hostApp({
    post: (text) => port?.postMessage(text),
    request: (method, params) => own.request(method, params),
    ask: (question) =>
      new Promise((resolve) => {
        const entry = {
          ...question,
          answer(yes: boolean) {
            asked.value = asked.peek().filter((one) => one !== entry)
            resolve(yes)
          },
        }
        asked.value = [...asked.peek(), entry]
      }),
    open: (url) => void window.open(url, '_blank', 'noopener,noreferrer'),
    said(text) {
      said.value = text
    },
    resized(wanted) {
      height.value = Math.min(Math.max(wanted, heights.least), heights.most)
    },
    note: (line) => void connection.note(line),
    ended: () => void app.close(),
    tools: () => catalogue(session).lists.tools.peek().items as unknown as readonly Params[],
    context: context(),
    call: tool && callOf(row, tool),
  })
  const app: App = {
    uri,
    html,
    needs,
    agreed: signal(false),
    height,
    said,
    asked,
    start(frame) {
      if (port) return void app.close() // it has loaded something else
      const channel = new MessageChannel()
      port = channel.port1
      port.onmessage = ({ data }) => {
        if (data !== '') return host.receive(String(data))
        connection.note('closed: the app sent too much')
        actions.announce(t('apps.flood'))
        void app.close()
      }
      // The frame's origin is opaque, so no other target can be named.
      frame.contentWindow?.postMessage(
        {
          html: withPolicy(html, needs),
          allow: needs.features.map((one) => `${one} *`).join('; '),
        },
        '*',
        [channel.port2],
      )
      let first = true
      stop = effect(() => {
        const now = context()
        if (!first) host.changed(now)
        first = false
      })
    },
    async close() {
      if (closeOpen !== app.close) return
      await host.end()
      stop()
      for (const one of asked.peek()) one.answer(false)
      port?.close()
      connection.close()
      if (closeOpen !== app.close) return
      closeOpen = undefined
      openApp.value = undefined
    },
  }
  closeOpen = app.close
  openApp.value = { row, View: ({ hidden }) => <Panel app={app} hidden={hidden} /> }
}

function textOf(one: Params | undefined): string | undefined {
  if (typeof one?.text === 'string') return one.text
  if (typeof one?.blob !== 'string') return undefined
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(one.blob), (byte) => byte.charCodeAt(0)))
  } catch {
    return undefined
  }
}

/** The call whose result is in a row. */
function callOf(row: number, tool: Params): ToolCall {
  const request = (store.message(store.partner(row)) ?? {}) as Params
  const { arguments: input = {} } = (request.params ?? {}) as Params
  const { result = {} } = (store.message(row) ?? {}) as Params
  return { id: request.id, tool, arguments: input as Params, result: result as Params }
}

/** How long a question takes no click, ms: it appears while the user clicks in the app. */
const clickGuard = 500

/** Accepts a request of the app: takes the clicks that {@link guardClicks} takes since the question is there. */
function Accept({ about }: { about: { answer(yes: boolean): void } }) {
  const guarded = useMemo(() => {
    const over = new AbortController()
    const clicks = guardClicks(over.signal)
    clicks.arm()
    return { about, clicks, over }
  }, [about])
  const [ready, setReady] = useState<unknown>()
  useEffect(() => {
    const timer = setTimeout(() => setReady(about), clickGuard)
    return () => {
      clearTimeout(timer)
      guarded.over.abort()
    }
  }, [guarded])
  return (
    <button
      type="button"
      class="primary"
      aria-disabled={ready === about ? undefined : true}
      onClick={(event) => guarded.clicks.takes(event) && about.answer(true)}
    >
      {t('answers.accept')}
    </button>
  )
}

/** It stays in the document as long as the app is open: a frame that is moved loads again. */
function Panel({ app, hidden }: { app: App; hidden: boolean }) {
  const { uri, needs } = app
  const cleared = store.emptied.value
  useEffect(() => () => void app.close(), [app, cleared]) // with its result, or all of Inspect
  const uses = [...needs.origins, ...needs.features]
  return (
    <section
      class="app-panel fill"
      id="in-app-panel"
      role="tabpanel"
      aria-labelledby="in-app"
      hidden={hidden}
    >
      <Head title={<span translate={false}>{uri}</span>} close={() => void app.close()} />
      {app.agreed.value ? (
        <iframe
          src="apps/sandbox.html"
          sandbox="allow-scripts"
          allow={needs.features.map((one) => `${one} *`).join('; ')}
          referrerpolicy="no-referrer"
          title={uri}
          style={{ blockSize: `${app.height.value}px` }}
          onLoad={({ currentTarget }) => app.start(currentTarget)}
        />
      ) : (
        <div class="app-question toolbar">
          <p>{t('apps.runs')}</p>
          {uses.length > 0 ? (
            <p>
              {t('apps.needs')} <span translate={false}>{uses.join(', ')}</span>
            </p>
          ) : null}
          <button
            type="button"
            class="primary"
            onClick={() => {
              app.agreed.value = true
            }}
          >
            {t('apps.run')}
          </button>
        </div>
      )}
      {app.asked.value.slice(0, 1).map((question) => (
        <div
          key="question"
          class="app-question toolbar"
          role="alertdialog"
          aria-label={t(`apps.${question.kind}`)}
        >
          <p>
            {t(`apps.${question.kind}`)} <code translate={false}>{question.what}</code>
          </p>
          {question.detail ? <pre translate={false}>{question.detail}</pre> : null}
          <Accept about={question} />
          <button type="button" onClick={() => question.answer(false)}>
            {t('answers.decline')}
          </button>
        </div>
      ))}
      {app.said.value ? (
        <p class="app-question toolbar" role="status">
          {t('apps.said')} <q translate={false}>{app.said.value}</q>
        </p>
      ) : null}
    </section>
  )
}
