/** @jsxImportSource preact */
/** The dialog *Try your page*: address, snippet, command, and a checklist that follows the gateway. */

import { effect, type Signal, signal, useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import type { DialogProps } from '../base/dialog-props.ts'
import { t } from '../base/i18n.ts'
import { Icon, IconButton } from '../base/icon.tsx'
import { InlineCode } from '../base/inline-code.tsx'
import { catalogue } from '../connections/catalogue.ts'
import { sessions } from '../connections/clients.ts'
import { gatewayDialer } from '../connections/gateway.ts'
import { openConnection } from '../connections/open.ts'
import { setAutoRead } from '../timeline/auto-read.ts'
import { type Checklist, nextStep, type Problem, steps, watchPage } from './checklist.ts'
import { loadSnippets, type Snippet } from './snippets.ts'

/** It goes on while the dialog is closed, so that the user can work with the page. */
const watched: Signal<Checklist | undefined> = signal(undefined)
const entered = signal('')

export function YourPage({ close }: DialogProps) {
  const snippets = useSignal<readonly Snippet[]>([])
  const framework = useSignal(0)
  const wrong = useSignal<Problem | undefined>(undefined)
  useEffect(() => {
    loadSnippets().then(
      (loaded) => {
        snippets.value = loaded
      },
      (error: unknown) => actions.announce(t('base.failedToLoad', { reason: String(error) })),
    )
  }, [])
  const field = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => field.current?.focus(), []) // the dialog opened before this part was loaded
  const url = entered.value.trim()
  const origin = URL.canParse(url) ? new URL(url).origin : 'http://localhost:5173'
  const snippet = snippets.value[framework.value]
  return (
    <div class="your-page">
      <header>
        <h2>{t('yourPage.title')}</h2>
        <IconButton name="close" label={t('shell.close')} onClick={close} />
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          watched.peek()?.stop()
          const made = watchPage(url)
          watched.value = 'done' in made ? made : undefined
          wrong.value = 'done' in made ? undefined : made
        }}
      >
        <label>
          {t('connections.url')}
          <input
            ref={field}
            type="url"
            name="url"
            lang="en"
            autocomplete="off"
            spellcheck={false}
            required
            placeholder="http://localhost:5173/"
            value={entered.value}
            onInput={({ currentTarget: { value } }) => {
              entered.value = value
            }}
          />
        </label>
        <button type="submit" class="primary">
          {t('yourPage.watch')}
        </button>
      </form>
      {wrong.value ? <Trouble problem={wrong.value} /> : null}
      {watched.value ? <Steps list={watched.value} /> : null}
      <Code label={t('yourPage.gateway')} code={`pagemcp dev --allow-origin ${origin}`} />
      <Code label={t('yourPage.snippet')} code={snippet?.code ?? ''}>
        <select
          aria-label={t('yourPage.snippet')}
          value={framework.value}
          onChange={({ currentTarget: { selectedIndex } }) => {
            framework.value = selectedIndex
          }}
        >
          {snippets.value.map((one, i) => (
            <option key={one.framework} value={i}>
              {one.framework}
            </option>
          ))}
        </select>
      </Code>
    </div>
  )
}

function Code({
  label,
  code,
  children,
}: {
  label: string
  code: string
  children?: preact.ComponentChildren
}) {
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => actions.announce(t('base.copied')),
      () => actions.announce(t('base.notCopied')),
    )
  return (
    <section>
      <div class="your-page-row">
        <h3>{label}</h3>
        {children}
        <IconButton name="copy" label={`${t('connections.copy')}: ${label}`} onClick={copy} />
      </div>
      <pre lang="en" translate={false}>
        {code}
      </pre>
    </section>
  )
}

/** Connects to the page, reads its first resource, and subscribes to it: each change is read again. */
function tryPage(page: string): void {
  const session = openConnection(gatewayDialer(page))
  const { resources } = catalogue(session).lists
  const stop = effect(() => {
    const uri = resources.value.items[0]?.uri
    if (uri === undefined && session.connection.state.value !== 'closed') return
    queueMicrotask(() => stop())
    if (uri === undefined) return
    void session.request('resources/read', { uri }).then(({ row }) => {
      if (row >= 0) actions.inspect(row)
    })
    void session.subscribe(uri)
    setAutoRead(session, uri, true)
  })
}

function Steps({ list }: { list: Checklist }) {
  const { done, problem, page } = list
  const next = nextStep(done.value)
  const connected = sessions.value.some(
    ({ connection: { dialer, state } }) =>
      dialer.kind === 'gateway' && dialer.title === page.value && state.value !== 'closed',
  )
  return (
    <section>
      <ol aria-live="polite" data-url={list.url}>
        {steps.map((step) => (
          <li key={step} data-step={step} data-done={done.value.has(step) ? '' : undefined}>
            <Icon name={done.value.has(step) ? 'check' : 'clock'} />
            <span class={done.value.has(step) ? 'your-page-done' : ''}>
              {t(`yourPage.steps.${step}`)}
            </span>
            {step === next && problem.value ? <Trouble problem={problem.value} /> : null}
          </li>
        ))}
      </ol>
      {page.value && !connected ? (
        <button type="button" class="primary" onClick={() => tryPage(page.value)}>
          {t('connections.gateway.connectPage', { page: page.value })}
        </button>
      ) : null}
    </section>
  )
}

const Trouble = ({ problem: { says, params } }: { problem: Problem }) => (
  <p role="alert">
    <InlineCode text={t(says, params)} />
  </p>
)
