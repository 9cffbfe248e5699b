/**
 * Indentation of JSON, for CodeMirror's commands. The bundle has this module in place of @codemirror/language and
 * @lezer/common (server/bundle/editor.go), whose parsers it does not need: json.ts parses the text.
 */

import { type EditorState, Facet } from '@codemirror/state'

const size = 2 // spaces

export const indentUnit = Facet.define<string, string>({
  combine: ([unit]) => unit ?? ' '.repeat(size),
})

export const getIndentUnit = () => size

export const indentString = (_: EditorState, columns: number) => ' '.repeat(columns)

/** CodeMirror creates one for each command that indents. */
export class IndentContext {
  readonly state: EditorState

  constructor(state: EditorState) {
    this.state = state
  }

  /** The indentation of a line, in columns. */
  lineIndent(at: number): number {
    return /^ */.exec(this.state.doc.lineAt(at).text)?.[0].length ?? 0
  }
}

/** The indentation of a line that begins at an offset: as before, and one unit more after an opening bracket. */
export function getIndentation({ state }: IndentContext, at: number): number {
  const line = state.doc.lineAt(Math.max(0, at - 1))
  const before = line.text.slice(0, at - line.from)
  const indent = /^ */.exec(line.text)?.[0].length ?? 0
  return /[{[]\s*$/.test(before) ? indent + size : indent
}

const nothing = { from: 0, to: 0, childBefore: () => null, childAfter: () => null }

/** A syntax tree without nodes. */
export const syntaxTree = () => ({ resolveInner: () => nothing })

/** Properties of the nodes of a tree, which has none. */
export const NodeProp = {}

/** The commands that call it are not in the bundle. */
export const matchBrackets = () => null
