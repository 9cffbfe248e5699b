/** One message in each revision, side by side, with what changes from one to the next, and why. */

import type { Sentence } from './explain.ts'
import { methodNamed } from './methods.ts'
import { isObject, type Params, type Revision, revisions } from './revisions.ts'
import { rewrite } from './rewrite.ts'

/** The message in one or more revisions that have the same form of it. */
export interface Column {
  revisions: readonly Revision[]
  message: Params
  lines: readonly Line[]
  /** What changed since the column before, and whether the revision has the method. */
  notes: readonly Sentence[]
}

export interface Line {
  text: string
  /** Whether it differs from the column before; in the first column, from the next one. */
  isChanged: boolean
}

/**
 * A message in all revisions, oldest first; equal ones share a column. Empty: the text is no request or notification.
 *
 * @param written - the revision that the text is of
 */
export function columnsOf(text: string, written: Revision): Column[] {
  const forms: {
    revisions: Revision[]
    text: string
    notes: Sentence[]
    message: Params
    hasMethod: boolean
  }[] = []
  for (const revision of revisions) {
    const own = revision === written ? text : rewrite(text, written, revision).text
    const message = messageOf(own)
    if (!message) return []
    const method = String(message.method)
    const known = methodNamed(revision, method)
    const hasMethod = known !== undefined && !known.inside
    const before = forms.at(-1)
    const last = before?.revisions.at(-1)
    const changes = last ? rewrite(before?.text ?? '', last, revision).notes : []
    const notes = changes.filter(({ key }) => key !== 'explain.change.none')
    if (!hasMethod && notes.length === 0)
      notes.push({ key: 'explain.change.removed', params: { method, to: revision } })
    const isSame = JSON.stringify(before?.message) === JSON.stringify(message)
    if (before && isSame && before.hasMethod === hasMethod) before.revisions.push(revision)
    else forms.push({ revisions: [revision], text: own, notes, message, hasMethod })
  }
  return forms.map(({ revisions, message, notes }, index) => {
    const other = forms[index === 0 ? 1 : index - 1]?.message ?? message
    const lines: Line[] = []
    write(message, other, '', '', lines)
    return { revisions, message, notes, lines }
  })
}

function messageOf(text: string): Params | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isObject(message) && typeof message.method === 'string' ? message : undefined
  } catch {
    return undefined
  }
}

/** Indents by two; each member has a line of its own. */
function write(value: unknown, other: unknown, before: string, after: string, lines: Line[]) {
  const indent = /^ */.exec(before)?.[0] ?? ''
  const isList = Array.isArray(value)
  if ((!isList && !isObject(value)) || Object.keys(value).length === 0) {
    const text = JSON.stringify(value) ?? 'null'
    lines.push({ text: before + text + after, isChanged: text !== JSON.stringify(other) })
    return
  }
  const isSameKind = isList ? Array.isArray(other) : isObject(other)
  const [open, close] = isList ? '[]' : '{}'
  lines.push({ text: before + open, isChanged: !isSameKind })
  const entries = Object.entries(value)
  for (const [index, [name, item]] of entries.entries()) {
    const key = isList ? '' : `${JSON.stringify(name)}: `
    const theirs =
      isSameKind && Object.hasOwn(other as object, name) ? (other as Params)[name] : undefined
    write(item, theirs, `${indent}  ${key}`, index < entries.length - 1 ? ',' : '', lines)
  }
  lines.push({ text: indent + close + after, isChanged: !isSameKind })
}
