/**
 * The editor's theme. CSS variables reach into its shadow root; json.ts provides the colours, also for
 * incomplete JSON. A grammar would add 12 KB of script for the same result.
 */

import { type Extension, RangeSetBuilder } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, ViewPlugin } from '@codemirror/view'
import { type JsonNode, jsonTree } from '../protocol/json.ts'

const marks = {
  key: Decoration.mark({ class: 'cm-key' }),
  string: Decoration.mark({ class: 'cm-text' }),
  number: Decoration.mark({ class: 'cm-value' }),
  word: Decoration.mark({ class: 'cm-value' }),
  matched: Decoration.mark({ class: 'cm-matched' }),
  unmatched: Decoration.mark({ class: 'cm-unmatched' }),
}

/** The object or array with a bracket at the caret; rather one before it than after it. */
function bracketed(root: JsonNode | undefined, caret: number): JsonNode | undefined {
  let after: JsonNode | undefined
  let before: JsonNode | undefined
  const visit = (node: JsonNode | undefined) => {
    if (!node || node.to < caret || node.from > caret) return
    if (node.kind !== 'object' && node.kind !== 'array') return
    if (node.from === caret - 1 || (node.to === caret && !node.open)) before = node
    else if (node.from === caret || (node.to === caret + 1 && !node.open)) after = node
    node.items?.forEach(visit)
    for (const { value } of node.members ?? []) visit(value)
  }
  visit(root)
  return before ?? after
}

/** Colours the visible part, and marks the brackets at the caret. */
function coloured({ viewport, state }: EditorView, root: JsonNode | undefined): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  const { from, to } = viewport
  const matched = bracketed(root, state.selection.main.head)
  const visit = (node: JsonNode | undefined, key = false) => {
    if (!node || node.to < from || node.from > to) return
    if (node.kind !== 'object' && node.kind !== 'array') {
      if (node.from < node.to) builder.add(node.from, node.to, marks[key ? 'key' : node.kind])
      return
    }
    if (node === matched) {
      builder.add(node.from, node.from + 1, node.open ? marks.unmatched : marks.matched)
    }
    for (const member of node.members ?? []) {
      visit(member.key, true)
      visit(member.value)
    }
    for (const item of node.items ?? []) visit(item)
    if (node === matched && !node.open) builder.add(node.to - 1, node.to, marks.matched)
  }
  visit(root)
  return builder.finish()
}

const colours = ViewPlugin.define(
  (view) => {
    const parse = () => jsonTree(view.state.doc.toString()).root
    let root = parse()
    return {
      decorations: coloured(view, root),
      update({ docChanged, selectionSet, viewportChanged }) {
        if (docChanged) root = parse()
        if (docChanged || selectionSet || viewportChanged) this.decorations = coloured(view, root)
      },
    }
  },
  { decorations: ({ decorations }) => decorations },
)

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--sheet)', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--code)', fontSize: '13px', lineHeight: '1.5' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-key': { color: 'var(--accent)' },
  '.cm-text': { color: 'var(--good)' },
  '.cm-value': { color: 'var(--warn)' },
  '.cm-matched': { backgroundColor: 'var(--accent-wash)', outline: '1px solid var(--accent)' },
  '.cm-unmatched': { outline: '1px solid var(--bad)' },
  '.cm-content ::selection': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent)',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--sheet)',
    border: '1px solid var(--field)',
    borderRadius: '8px',
    boxShadow: '0 8px 24px #0003',
    color: 'var(--ink)',
    maxWidth: 'min(46ch, 90vw)',
  },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--code)', maxHeight: '14em' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': {
    alignItems: 'center',
    display: 'flex',
    gap: '8px',
    minHeight: '24px',
    padding: '0 8px',
  },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    background: 'var(--accent-wash)',
    color: 'var(--accent)',
    outline: '1px solid var(--accent)',
    outlineOffset: '-1px',
  },
  '.cm-completionDetail': { color: 'var(--soft)', fontStyle: 'normal', marginLeft: 'auto' },
  '.cm-completionInfo, .cm-seen': { font: '13px/1.45 var(--text)', padding: '6px 10px' },
  '.cm-seen a': { color: 'var(--accent)' },
  '.cm-seen code': { fontFamily: 'var(--code)' },
  '.cm-problem': { paddingBottom: '0.7px' },
  '.cm-problem.cm-error': { borderBottom: '2px dotted var(--bad)' },
  '.cm-problem.cm-warning': { borderBottom: '2px dotted var(--warn)' },
  '.cm-problems': { font: '13px/1.45 var(--text)', margin: 0, padding: 0 },
  '.cm-problems li': {
    borderLeft: '4px solid var(--warn)',
    display: 'block',
    padding: '3px 6px 3px 8px',
    whiteSpace: 'pre-wrap',
  },
  '.cm-problems .cm-error': { borderLeftColor: 'var(--bad)' },
})

export const editorTheme: Extension = [theme, colours]
