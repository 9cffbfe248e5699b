/** @jsxImportSource preact */
/** The preview of a message: its contents by kind, an error, or a tree. */

import { useMemo } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { showControlCharacters } from '../base/control-characters.ts'
import { t } from '../base/i18n.ts'
import { visible } from '../base/visible-text.ts'
import { store } from '../messages/log.ts'
import { newest, request } from '../protocol/revisions.ts'
import { rawText } from '../timeline/format.ts'
import { sessionOf } from './actions.ts'
import { Bytes, Download, Picture } from './bytes.tsx'
import { type Part, partsOf } from './contents.ts'
import { diffTexts, placesOf } from './diff-text.ts'
import { earlierResults } from './earlier-results.ts'
import { Tree } from './tree.tsx'
import { tab } from './view.ts'

/** Longer texts are cut; Raw shows all. */
const maxLength = 200_000 // UTF-16 code units

interface Message {
  params?: unknown
  result?: unknown
  error?: { code?: unknown; message?: unknown; data?: unknown }
}

export function Preview({ row }: { row: number }) {
  const message = useMemo(() => store.message(row), [row]) as Message | undefined
  const parts = useMemo(() => partsOf(message), [message])
  if (message === undefined || typeof message !== 'object' || message === null) {
    return (
      <>
        {store.problem(row) && <p role="alert">{store.problem(row)}</p>}
        <pre class="in-text">{showControlCharacters(rawText(store, row))}</pre>
      </>
    )
  }
  if (parts.length > 0) {
    return (
      <>
        {parts.map((part, index) => (
          <section key={index} class="in-part">
            <PartHead part={part} />
            <PartBody part={part} row={row} index={index} />
          </section>
        ))}
      </>
    )
  }
  const { error } = message
  if (error && typeof error === 'object') {
    return (
      <div class="in-error">
        <p>
          <b>{String(error.code)}</b> <span dir="auto">{String(error.message)}</span>
        </p>
        {error.data !== undefined && <Tree value={error.data} name="data" />}
      </div>
    )
  }
  return <Tree value={message.result ?? message.params ?? message} open={4} />
}

function PartHead({ part }: { part: Part }) {
  return (
    <p class="in-part-head">
      {part.role && <b>{part.role}</b>} {part.uri && <code>{part.uri}</code>}{' '}
      {part.mimeType && <span class="quiet">{part.mimeType}</span>}
    </p>
  )
}

function PartBody({ part, row, index }: { part: Part; row: number; index: number }) {
  switch (part.kind) {
    case 'image':
    case 'svg':
      return <Picture part={part} />
    case 'binary':
      return <Bytes part={part} />
    case 'json':
      return (
        <>
          <Changed part={part} row={row} index={index} />
          <Json text={part.text ?? ''} />
        </>
      )
    case 'link':
      return (
        <p>
          {part.text}{' '}
          <button
            type="button"
            onClick={() => {
              const revision = sessionOf(row)?.revision.peek() ?? newest
              const read = request(revision, 1, 'resources/read', { uri: part.uri })
              actions.compose(visible(JSON.stringify(read, null, 2)))
            }}
          >
            {t('inspect.composeRead')}
          </button>
        </p>
      )
    default:
      return (
        <>
          <Changed part={part} row={row} index={index} marked />
          {part.uri && <Download part={part} />}
        </>
      )
  }
}

function Json({ text }: { text: string }) {
  const value = useMemo(() => {
    try {
      return { value: JSON.parse(text) as unknown }
    } catch {
      return undefined
    }
  }, [text])
  return value ? <Tree value={value.value} open={3} /> : <pre class="in-text">{text}</pre>
}

/** Changes since the earlier read: the number, and marks in plain text. */
function Changed({
  part,
  row,
  index,
  marked = false,
}: {
  part: Part
  row: number
  index: number
  marked?: boolean
}) {
  const text = (part.text ?? '').slice(0, maxLength)
  const before = useMemo(() => {
    const [earlier] = earlierResults(store, row, 1)
    const was = earlier === undefined ? undefined : partsOf(store.message(earlier))[index]
    return was && was.uri === part.uri ? was.text?.slice(0, maxLength) : undefined
  }, [part, row, index])
  const pieces = useMemo(
    () => (before === undefined || before === text ? undefined : diffTexts(before, text)),
    [before, text],
  )
  return (
    <>
      {before !== undefined && (
        <p class="in-changed">
          {pieces
            ? t('inspect.changedPlaces', { count: placesOf(pieces) })
            : t('inspect.unchanged')}{' '}
          {pieces && (
            <button
              type="button"
              onClick={() => {
                tab.value = 'diff'
              }}
            >
              {t('inspect.diff')}
            </button>
          )}
        </p>
      )}
      {marked && (
        <pre class="in-text" dir="auto">
          {pieces
            ? pieces.map(({ kind, text }, index) =>
                kind === 'removed' ? null : kind === 'added' ? (
                  <mark key={index}>{text}</mark>
                ) : (
                  text
                ),
              )
            : text}
        </pre>
      )}
      {(part.text?.length ?? 0) > maxLength && <p>{t('inspect.cut')}</p>}
    </>
  )
}
