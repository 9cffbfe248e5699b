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
}

/** Colours the visible part. */
function coloured(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>()
  const { from, to } = view.viewport
  const visit = (node: JsonNode | undefined, key = false) => {
    if (!node || node.to < from || node.from > to) return
    if (node.kind === 'object') {
      for (const member of node.members ?? []) {
        visit(member.key, true)
        visit(member.value)
      }
    } else if (node.kind === 'array') for (const item of node.items ?? []) visit(item)
    else if (node.from < node.to) builder.add(node.from, node.to, marks[key ? 'key' : node.kind])
  }
  visit(jsonTree(view.state.doc.toString()).root)
  return builder.finish()
}

const colours = ViewPlugin.define(
  (view) => ({
    decorations: coloured(view),
    update({ docChanged, viewportChanged }) {
      if (docChanged || viewportChanged) this.decorations = coloured(view)
    },
  }),
  { decorations: ({ decorations }) => decorations },
)

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--sheet)', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--code)', fontSize: '13px', lineHeight: '1.5' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)', borderLeftWidth: '2px' },
  '.cm-key': { color: 'var(--accent)' },
  '.cm-text': { color: 'var(--good)' },
  '.cm-value': { color: 'var(--warn)' },
  '.cm-matchingBracket': {
    backgroundColor: 'var(--accent-wash)',
    outline: '1px solid var(--accent)',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    background: 'color-mix(in srgb, var(--accent) 25%, transparent) !important',
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
  '.cm-diagnostic': { font: '13px/1.45 var(--text)', borderLeftWidth: '4px' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
  '.cm-lintRange-error': { backgroundImage: 'none', borderBottom: '2px dotted var(--bad)' },
  '.cm-lintRange-warning': { backgroundImage: 'none', borderBottom: '2px dotted var(--warn)' },
})

export const editorTheme: Extension = [theme, colours]
