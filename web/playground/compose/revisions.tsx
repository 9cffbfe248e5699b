/** @jsxImportSource preact */
/** The dialog that compares the composer's message in all revisions. */

import { showControlCharacters } from '../base/control-characters.ts'
import type { DialogProps } from '../base/dialog-props.ts'
import { Head } from '../base/head.tsx'
import { t } from '../base/i18n.ts'
import { InlineCode } from '../base/inline-code.tsx'
import { drafts, setRevision } from '../connections/clients.ts'
import { type Column, columnsOf } from '../protocol/columns.ts'
import { specUrl } from '../protocol/methods.ts'
import type { Revision } from '../protocol/revisions.ts'

export function Revisions({ close }: DialogProps) {
  const { text, revision } = drafts.value.open.value
  const columns = columnsOf(text, revision)
  return (
    <div class="compose-revisions stack">
      <Head title={t('compose.revisions.title')} close={close} />
      {columns.length === 0 ? <p>{t('compose.revisions.none')}</p> : null}
      {columns.length === 1 ? <p>{t('compose.revisions.same')}</p> : null}
      <div class="compose-columns">
        {columns.map((column) => (
          <InRevision key={column.revisions[0]} {...{ column, written: revision, close }} />
        ))}
      </div>
    </div>
  )
}

interface InRevisionProps extends DialogProps {
  column: Column
  /** The revision of the composer's text. */
  written: Revision
}

function InRevision({ column: { revisions, lines, notes }, written, close }: InRevisionProps) {
  const last = revisions.at(-1) as Revision
  return (
    <section class="stack">
      <h3 translate={false}>{revisions.join(', ')}</h3>
      <pre class="code-block" translate={false}>
        {lines.map(({ text, isChanged }, index) => {
          const shown = `${showControlCharacters(text)}\n`
          return isChanged ? <mark key={index}>{shown}</mark> : shown
        })}
      </pre>
      {notes.length > 0 ? (
        <ul class="bullets">
          {notes.map(({ key, params }) => (
            <li key={key}>
              <InlineCode text={t(key, params)} />
            </li>
          ))}
        </ul>
      ) : null}
      <p class="toolbar">
        {revisions.includes(written) ? null : (
          <button
            type="button"
            onClick={() => {
              setRevision(last)
              close()
            }}
          >
            {t('compose.useRevision', { written: last })}
          </button>
        )}
        <a
          class="last"
          href={specUrl(last, 'changelog')}
          target="_blank"
          rel="noreferrer"
          lang="en"
        >
          {last} · changelog
        </a>
      </p>
    </section>
  )
}
