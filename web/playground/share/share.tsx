/** @jsxImportSource preact */
/** The dialog for sharing: a link to requests with its exact content, or the conversation as a link, a file or Mermaid. */

import { signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { copyText } from '../base/copy-text.ts'
import type { DialogProps } from '../base/dialog-props.ts'
import { Head } from '../base/head.tsx'
import { t } from '../base/i18n.ts'
import { saveFile } from '../base/save-file.ts'
import { drafts } from '../connections/clients.ts'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { mermaid } from '../timeline/mermaid.ts'
import { shown } from '../timeline/view.ts'
import { chooseFile } from './choose-file.ts'
import { copyConversation } from './conversation.ts'
import { addressOf, linkOf } from './copy-link.ts'
import { exportTranscript, transcriptOf } from './files.ts'
import { linkJson, maxLinkLength } from './link.ts'
import { redactText } from './redact.ts'

const parts = ['request', 'conversation'] as const
type Part = (typeof parts)[number]

/** What was shared last. */
const part = signal<Part>('request')

export function Share({ close }: DialogProps) {
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key !== 'ArrowLeft' && key !== 'ArrowRight') return
    part.value = part.peek() === 'request' ? 'conversation' : 'request'
    document.getElementById(`share-${part.peek()}`)?.focus()
  }
  return (
    <div class="sharing stack">
      <Head title={t('share.title')} close={close} />
      <div class="tabs" role="tablist" aria-label={t('share.title')} onKeyDown={onKeyDown}>
        {parts.map((one) => (
          <button
            key={one}
            id={`share-${one}`}
            type="button"
            role="tab"
            aria-selected={part.value === one}
            aria-controls="share-panel"
            tabIndex={part.value === one ? 0 : -1}
            onClick={() => {
              part.value = one
            }}
          >
            {t(one === 'request' ? 'inspect.request' : 'share.transcript')}
          </button>
        ))}
      </div>
      <section
        class="stack"
        id="share-panel"
        role="tabpanel"
        aria-labelledby={`share-${part.value}`}
      >
        {part.value === 'request' ? <ByLink /> : <ByFile close={close} />}
      </section>
    </div>
  )
}

function ByLink() {
  const all = useSignal(false)
  const made = useSignal<{ address: string; fits: boolean } | undefined>(undefined)
  const link = linkOf(all.value)
  const key = JSON.stringify(link)
  useEffect(() => {
    let late = false
    addressOf(JSON.parse(key)).then((found) => {
      if (!late) made.value = found
    })
    return () => {
      late = true
    }
  }, [key, made])
  const address = made.value?.address ?? ''
  const fits = made.value?.fits ?? true
  return (
    <>
      <p class="quiet">{t('share.linkAbout')}</p>
      {drafts.value.all.value.length > 1 && (
        <label>
          <input
            type="checkbox"
            checked={all.value}
            onChange={(event) => {
              all.value = event.currentTarget.checked
            }}
          />
          {t('share.allTabs', { count: drafts.value.all.value.length })}
        </label>
      )}
      <div class="toolbar">
        <input readonly aria-label={t('share.link')} value={address} translate={false} />
        <button
          type="button"
          class="primary"
          data-command="copy-link"
          disabled={!fits || address === ''}
          onClick={() => copyText(address)}
        >
          {t('share.copyLink')}
        </button>
      </div>
      {fits ? (
        <p class="quiet">{t('share.length', { count: address.length, most: maxLinkLength })}</p>
      ) : (
        <p role="alert">{t('share.tooLong')}</p>
      )}
      <details>
        <summary>{t('share.inside')}</summary>
        <p>
          {t('share.target')} <code translate={false}>{link.target || t('share.demo')}</code>
        </p>
        {link.messages.map(({ text, revision }) => (
          <figure key={text}>
            <figcaption class="quiet">{revision}</figcaption>
            <pre class="code-block" translate={false}>
              {text}
            </pre>
          </figure>
        ))}
      </details>
      <button
        type="button"
        onClick={() => saveFile('messages.json', 'application/json', linkJson(link))}
      >
        {t('share.saveMessages')}
      </button>
    </>
  )
}

const allRows = () => Array.from({ length: store.length }, (_, row) => row)

function ByFile({ close }: { close(): void }) {
  const redacted = useSignal(true)
  const gzip = useSignal(false)
  const filtered = useSignal(false)
  store.changed.value
  const hidden = store.length - shown.length
  const rows = () =>
    filtered.peek() ? Array.from({ length: shown.length }, (_, i) => shown.row(i)) : undefined
  const count = filtered.value ? shown.length : store.length
  const box = (of: typeof redacted, label: string) => (
    <label>
      <input
        type="checkbox"
        checked={of.value}
        onChange={(event) => {
          of.value = event.currentTarget.checked
        }}
      />
      {label}
    </label>
  )
  return (
    <>
      <p class="quiet">{t('share.transcriptAbout')}</p>
      <div class="toolbar">
        {box(redacted, t('share.redact'))}
        {box(gzip, t('share.pack'))}
        {hidden > 0 && box(filtered, t('share.onlyShown'))}
      </div>
      <div class="toolbar">
        <button
          type="button"
          class="primary"
          data-command="copy-conversation"
          aria-label={`${t('share.copyLink')}: ${t('share.transcript')}`}
          disabled={count === 0}
          onClick={async () => {
            await copyConversation(rows() ?? allRows())
          }}
        >
          {t('share.copyLink')}
        </button>
        <button
          type="button"
          data-command="export"
          disabled={count === 0}
          onClick={async () => {
            await exportTranscript(rows(), { redacted: redacted.value, gzip: gzip.value })
          }}
        >
          {t('share.save', { count })}
        </button>
        <button
          type="button"
          onClick={() => {
            chooseFile()
            close()
          }}
        >
          {t('share.import')}
        </button>
        <button
          type="button"
          disabled={count === 0}
          onClick={async () => {
            const text = mermaid(store, rows() ?? allRows(), clientName, t('timeline.client'))
            await copyText(redacted.value ? redactText(text) : text)
          }}
        >
          {t('share.mermaid')}
        </button>
      </div>
      <Inside rows={() => rows() ?? allRows()} />
    </>
  )
}

/** Maximum number of rows that are listed: they cost time to draw, and no longer conversation fits into a link. */
const maxListed = 200 // rows

/** What a link to the conversation contains, once it is opened. */
function Inside({ rows }: { rows(): readonly number[] }) {
  const lines = useSignal<readonly string[]>([])
  return (
    <details
      onToggle={async ({ currentTarget }) => {
        if (currentTarget.open) lines.value = await transcriptOf(rows().slice(0, maxListed), true)
      }}
    >
      <summary>{t('share.inside')}</summary>
      <pre class="code-block" translate={false}>
        {lines.value.join('')}
      </pre>
    </details>
  )
}
