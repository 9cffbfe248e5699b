/** The editor's theme. CSS variables reach into its shadow root. */

import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import type { Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--good)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--warn)' },
])

const theme = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--sheet)', color: 'var(--ink)' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-2px' },
  '.cm-scroller': { fontFamily: 'var(--code)', fontSize: '13px', lineHeight: '1.5' },
  '.cm-content': { padding: '10px 0', caretColor: 'var(--ink)' },
  '.cm-line': { padding: '0 12px' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--paper)',
    borderColor: 'var(--line)',
    color: 'var(--soft)',
  },
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
  '.cm-lintRange': { backgroundImage: 'none' }, // data URLs are against the policy of the page
  '.cm-lintRange-error': { borderBottom: '2px dotted var(--bad)' },
  '.cm-lintRange-warning': { borderBottom: '2px dotted var(--warn)' },
  '.cm-diagnostic': { font: '13px/1.45 var(--text)' },
  '.cm-diagnostic-error': { borderLeftColor: 'var(--bad)' },
  '.cm-diagnostic-warning': { borderLeftColor: 'var(--warn)' },
})

export const editorTheme: Extension = [theme, syntaxHighlighting(colours)]
