/** @jsxImportSource preact */
/** Compares two results: added, removed and changed parts. */

import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { when } from '../timeline/row-time.ts'
import { bytesOf, type Part, partsOf } from './contents.ts'
import { type Difference, diffJson, maxDifferences, written } from './diff-json.ts'
import { diffTexts } from './diff-text.ts'
import { earlierResults } from './earlier-results.ts'
import { firstDifference, hexLines, sha256 } from './hex.ts'
import { base, pinned } from './view.ts'

/** Longer texts are cut before the comparison. */
const maxLength = 200_000 // UTF-16 code units

export function Diff({ row }: { row: number }) {
  const fetched = useSignal(0)
  const earlier = useMemo(() => earlierResults(store, row), [row])
  const [chosen] = [base.value, pinned.value].filter(
    (one) => one !== undefined && one < store.length && one !== row,
  )
  const from = chosen ?? earlier[0]
  const others = [from, pinned.value].filter(
    (one) => one !== undefined && one !== row && !earlier.includes(one),
  ) as number[]
  const offered = [...new Set(others), ...earlier]
  useEffect(() => {
    if (from === undefined || !store.isArchived(from)) return
    store.restore(from).then(
      () => fetched.value++,
      () => {}, // a lost text is compared as empty
    )
  }, [from, fetched])
  fetched.value
  if (from === undefined) return <p class="quiet">{t('inspect.nothingEarlier')}</p>
  return (
    <>
      <p>
        <label>
          {t('inspect.comparedWith')}{' '}
          <select
            value={String(from)}
            onChange={(event) => {
              base.value = Number(event.currentTarget.value)
            }}
          >
            {offered.map((one) => (
              <option key={one} value={String(one)}>
                {clientName(store.connection(one)).letter} {when(one)} {store.method(one)}{' '}
                {store.target(one)}
              </option>
            ))}
          </select>
        </label>
      </p>
      <Compared from={from} row={row} here={!store.isArchived(from)} />
    </>
  )
}

/** Compares contents by kind if both have as many, else the whole messages as JSON. */
function Compared({ from, row, here }: { from: number; row: number; here: boolean }) {
  const [before, after] = useMemo(
    () => [here ? store.message(from) : undefined, store.message(row)],
    [from, row, here],
  )
  const [was, is] = useMemo(() => [partsOf(before), partsOf(after)], [before, after])
  if (is.length > 0 && was.length === is.length) {
    return (
      <>
        {is.map((part, index) => (
          <section key={index} class="in-part">
            {part.uri && (
              <p class="in-part-head">
                <code>{part.uri}</code>
              </p>
            )}
            <ComparedPart before={was[index] as Part} after={part} />
          </section>
        ))}
      </>
    )
  }
  const result = (message: unknown) => (message as { result?: unknown } | undefined)?.result
  return <ComparedJson before={result(before) ?? before} after={result(after) ?? after} />
}

function ComparedPart({ before, after }: { before: Part; after: Part }) {
  if (before.blob !== undefined || after.blob !== undefined) {
    return <ComparedBytes before={before} after={after} />
  }
  if (after.kind === 'json' && before.kind === 'json') {
    try {
      return (
        <ComparedJson before={JSON.parse(before.text ?? '')} after={JSON.parse(after.text ?? '')} />
      )
    } catch {
      // not JSON: compare as text
    }
  }
  return <ComparedText before={before.text ?? ''} after={after.text ?? ''} />
}

function ComparedText({ before, after }: { before: string; after: string }) {
  const pieces = useMemo(
    () => diffTexts(before.slice(0, maxLength), after.slice(0, maxLength)),
    [before, after],
  )
  if (before === after) return <Same />
  return (
    <pre class="in-text" dir="auto">
      {pieces.map(({ kind, text }, index) =>
        kind === 'same' ? (
          text
        ) : kind === 'added' ? (
          <ins key={index}>{text}</ins>
        ) : (
          <del key={index}>{text}</del>
        ),
      )}
    </pre>
  )
}

const Same = () => <p class="quiet">{t('inspect.unchanged')}</p>

/** Longer values in the list of paths are cut. */
const maxValueLength = 300 // UTF-16 code units

const signs = { added: '+', removed: '−', changed: '≠' } as const

function ComparedJson({ before, after }: { before: unknown; after: unknown }) {
  const found = useMemo(() => diffJson(before, after), [before, after])
  if (found.length === 0) return <Same />
  return (
    <>
      <ul class="in-paths">
        {found.map((one) => (
          <Path key={`${one.kind} ${one.path}`} found={one} />
        ))}
      </ul>
      {found.length === maxDifferences && <p>{t('inspect.cut')}</p>}
    </>
  )
}

function Path({ found: { path, kind, before, after } }: { found: Difference }) {
  return (
    <li class={`in-${kind}`}>
      <b aria-hidden="true">{signs[kind]}</b> <span class="unseen">{t(`inspect.${kind}`)}</span>
      <code>{path || '/'}</code>{' '}
      {before !== undefined && <del>{written(before).slice(0, maxValueLength)}</del>}{' '}
      {after !== undefined && <ins>{written(after).slice(0, maxValueLength)}</ins>}
    </li>
  )
}

function ComparedBytes({ before, after }: { before: Part; after: Part }) {
  const [was, is] = useMemo(() => [bytesOf(before), bytesOf(after)], [before, after])
  const hashes = useSignal<readonly [string, string]>(['', ''])
  useEffect(() => {
    if (!was || !is) return
    Promise.all([sha256(was), sha256(is)]).then((both) => {
      hashes.value = both
    })
  }, [was, is, hashes])
  if (!was || !is) return <p role="alert">{t('inspect.badBase64')}</p>
  const at = firstDifference(was, is)
  if (at < 0) return <Same />
  const from = Math.max(0, (at & ~15) - 32)
  return (
    <>
      <table class="in-sizes">
        <tbody>
          <tr>
            <th scope="row">{t('inspect.before')}</th>
            <td>{sizeText(was.length)}</td>
            <td>
              <code>{hashes.value[0].slice(0, 16)}</code>
            </td>
          </tr>
          <tr>
            <th scope="row">{t('inspect.after')}</th>
            <td>{sizeText(is.length)}</td>
            <td>
              <code>{hashes.value[1].slice(0, 16)}</code>
            </td>
          </tr>
        </tbody>
      </table>
      <p>{t('inspect.firstByte', { at })}</p>
      <pre class="in-hex">
        <del>{hexLines(was, from, 96).join('\n')}</del>
        {'\n\n'}
        <ins>{hexLines(is, from, 96).join('\n')}</ins>
      </pre>
    </>
  )
}
