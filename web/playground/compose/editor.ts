/**
 * The editor: CodeMirror 6 with completions, hover and problems. It is in a shadow root, where its styles are
 * adopted sheets: the page's Content-Security-Policy allows no style elements.
 */

import {
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  pickedCompletion,
  startCompletion,
} from '@codemirror/autocomplete'
import {
  history,
  historyKeymap,
  indentLess,
  indentMore,
  standardKeymap,
} from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { codeFolding, ensureSyntaxTree, foldEffect } from '@codemirror/language'
import { type Diagnostic, forEachDiagnostic, linter, nextDiagnostic } from '@codemirror/lint'
import { EditorState, Prec, StateEffect } from '@codemirror/state'
import { EditorView, hoverTooltip, keymap } from '@codemirror/view'
import { t } from '../base/i18n.ts'
import { visible } from '../base/visible-text.ts'
import type { Drafts } from '../connections/drafts.ts'
import { type CompletionOption, type Completions, completionsAt } from './complete.ts'
import { editorTheme } from './editor-theme.ts'
import { type Hover, hoverAt } from './hover.ts'
import { textProblems } from './problems.ts'
import type { ServerContext } from './schema-at.ts'
import { complete as ask } from './server-completion.ts'
import { toolProblems } from './tool-schema.ts'

export interface EditorOptions {
  drafts: Drafts
  /** UTF-16 code units. */
  selection?: { from: number; to: number }
  label: string
  /** Called at each use, never cached. */
  server(): ServerContext
  setTypedText(text: string): void
  problems(count: number): void
  send(): void
  /** Shows an older (1) or newer (-1) text. */
  recall(step: 1 | -1): void
}

export interface Editor {
  /** Shows the open draft, with the caret where it was. What was done to it before can be taken back. */
  show(drafts: Drafts): void
  /** Moves the caret to an offset. */
  moveTo(caret: number): void
  focus(): void
  /** Checks again: the revision or the lists have changed. */
  relint(): void
  /** Moves the caret to the next problem and shows it. */
  nextProblem(): void
  destroy(): void
}

/** Delay after typing before completions are offered; some are requests to the server. */
const offerDelay = 150 // ms

/** Creates an editor in an element and its shadow root. */
export function mount(host: HTMLElement, options: EditorOptions): Editor {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  root.replaceChildren()
  const all = extensions(options)
  const begin = (doc: string, { from, to } = { from: 0, to: 0 }) =>
    EditorState.create({
      doc,
      selection: { anchor: Math.min(from, doc.length), head: Math.min(to, doc.length) },
      extensions: all,
    })
  let shown = options.drafts
  let { id, text } = shown.open.peek()
  const view = new EditorView({ root, parent: root, state: begin(text, options.selection) })
  foldEnvelope(view)
  return {
    show(drafts) {
      const next = drafts.open.peek()
      if (next.id !== id) {
        if (shown.all.peek().some((one) => one.id === id)) shown.undo.set(id, view.state)
        const before = drafts.undo.get(next.id) as EditorState | undefined
        view.setState(before ?? begin(next.text))
        if (!before) foldEnvelope(view)
      }
      shown = drafts
      ;({ id, text } = next)
      const changes = difference(view.state.doc.toString(), text)
      if (!changes) return
      view.dispatch({ changes, userEvent: 'input.replace' })
      if (changes.insert.includes('"_meta"')) foldEnvelope(view)
    },
    moveTo: (caret) => view.dispatch({ selection: { anchor: caret } }),
    focus: () => view.focus(),
    relint: () => view.dispatch({ effects: outdated.of(undefined) }),
    nextProblem() {
      nextProblem(view)
      view.focus()
    },
    destroy: () => view.destroy(),
  }
}

/** The one change between two texts: what is outside of it stays as it is, folded or not. */
function difference(before: string, after: string) {
  if (before === after) return undefined
  const most = Math.min(before.length, after.length)
  let from = 0
  while (from < most && before[from] === after[from]) from++
  let end = 0
  while (end < most - from && before.at(-1 - end) === after.at(-1 - end)) end++
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) }
}

/** Folds the envelope of a request, which is the same in each, unless the caret is in it. */
function foldEnvelope(view: EditorView) {
  const { state } = view
  const { head } = state.selection.main
  ensureSyntaxTree(state, state.doc.length)?.iterate({
    enter({ name, node, from }) {
      if (name !== 'PropertyName' || state.sliceDoc(from, node.to) !== '"_meta"') return
      const value = node.parent?.lastChild
      if (value?.name !== 'Object' || value.to - value.from < 3) return
      if (head > value.from && head < value.to) return
      view.dispatch({ effects: foldEffect.of({ from: value.from + 1, to: value.to - 1 }) })
    },
  })
}

/** Delay after typing before problems are looked for. */
const lintDelay = 250 // ms

/** Something other than the text has changed that problems depend on. */
const outdated = StateEffect.define<undefined>()

/** Selects the next problem after the selection, or the first, shows its message, and announces it. */
function nextProblem(view: EditorView): boolean {
  const moved = nextDiagnostic(view)
  const { from, to } = view.state.selection.main
  forEachDiagnostic(view.state, ({ message }, start, end) => {
    if (start === from && end === to)
      view.dispatch({ effects: EditorView.announce.of(String(message)) })
  })
  return moved
}

/**
 * Replaces a selection by what is typed, which the browser would do by itself: Chromium keeps the look of the selection,
 * or joins its lines, with inline styles, which our policy forbids.
 */
const typeOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to } = view.state.selection.main
    if (inputType !== 'insertText' || !data || view.composing || from === to) return false
    const insert = () => view.state.update(view.state.replaceSelection(data), typed)
    const handlers = view.state.facet(EditorView.inputHandler)
    if (!handlers.some((handle) => handle(view, from, to, data, insert))) view.dispatch(insert())
    return true
  },
})
const typed = { userEvent: 'input.type', scrollIntoView: true }

function extensions(options: EditorOptions) {
  const { server } = options
  const recall = (step: 1 | -1) => {
    options.recall(step)
    return true
  }
  return [
    history(),
    closeBrackets(),
    typeOver,
    json(),
    codeFolding({ placeholderText: '…' }),
    EditorState.phrases.of({ unfold: t('connections.unfold'), 'folded code': '_meta' }),
    editorTheme,
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      'aria-label': options.label,
      autocorrect: 'off',
      autocapitalize: 'off',
      translate: 'no',
      tabindex: '0', // focusable without it, but axe requires the attribute
    }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) options.setTypedText(update.state.doc.toString())
    }),
    // before the default keys, which use the same combinations
    Prec.highest(
      keymap.of([
        {
          key: 'Mod-Enter',
          run(view) {
            if (view.composing) return false // the input method handles the key
            options.send()
            return true
          },
        },
        { key: 'Alt-ArrowUp', run: () => recall(1) },
        { key: 'Alt-ArrowDown', run: () => recall(-1) },
      ]),
    ),
    keymap.of([
      ...closeBracketsKeymap,
      ...completionKeymap,
      { key: 'F8', run: nextProblem },
      ...historyKeymap,
      ...standardKeymap,
      { key: 'Mod-[', run: indentLess },
      { key: 'Mod-]', run: indentMore },
    ]),
    autocompletion({
      override: [(context) => local(context, server()), (context) => remote(context, server())],
      activateOnTypingDelay: offerDelay,
      icons: false,
      optionClass: ({ type }) => (type === 'lacking' ? 'cm-lacking' : ''),
    }),
    linter((view) => problemsOf(view.state.doc.toString(), options), {
      delay: lintDelay,
      needsRefresh: ({ transactions }) =>
        transactions.some(({ effects }) => effects.some((effect) => effect.is(outdated))),
    }),
    hoverTooltip((view, at) => {
      const hover = hoverAt(view.state.doc.toString(), at, server())
      return hover
        ? { pos: hover.from, end: hover.to, above: true, create: () => ({ dom: hoverDom(hover) }) }
        : null
    }),
  ]
}

function problemsOf(text: string, options: EditorOptions): Diagnostic[] {
  const found: Diagnostic[] = textProblems(text, options.server()).map(
    ({ from, to, severity, sentence }) => ({
      from,
      to: Math.max(from, to),
      severity,
      message: visible(t(sentence.key, sentence.params)),
    }),
  )
  if (/"tools\/call"/.test(text)) found.push(...toolProblems(text, options.server()))
  options.problems(found.length)
  return found
}

function local(context: CompletionContext, server: ServerContext): CompletionResult | null {
  const completions = completionsAt(context.state.doc.toString(), context.pos, server)
  return completionResult(context, completions, completions.options)
}

async function remote(
  context: CompletionContext,
  server: ServerContext,
): Promise<CompletionResult | null> {
  const completions = completionsAt(context.state.doc.toString(), context.pos, server)
  const { query } = completions
  if (!query) return null
  const abort = new AbortController()
  context.addEventListener('abort', () => abort.abort(), { onDocChange: true })
  const values = await ask(query, abort.signal)
  const options = values.map((value): CompletionOption => {
    return {
      label: value,
      insert: query.insert(value),
      kind: 'live',
      info: t('compose.completed'),
    }
  })
  return completionResult(context, completions, options, true)
}

/**
 * Options that match the typed text; a quote that is already typed is not part of it.
 *
 * @param all - the server chose the options: none is left out
 */
function completionResult(
  context: CompletionContext,
  { from, to }: Completions,
  options: readonly CompletionOption[],
  all = false,
): CompletionResult | null {
  const typed = context.state.sliceDoc(from, context.pos).replace(/^"/, '').toLowerCase()
  if (!context.explicit && typed === '' && from === to) return null
  const fits = ({ label }: CompletionOption) => all || label.toLowerCase().includes(typed)
  const found = options.filter(fits).map((option) => completion(option, typed))
  return found.length ? { from, to, options: found, filter: false } : null
}

function completion(option: CompletionOption, typed: string): Completion {
  const begins = option.label.toLowerCase().replace(/^"/, '').startsWith(typed)
  const detail = option.lacks
    ? t('compose.lacks', { capability: option.lacks })
    : option.required
      ? t('compose.required')
      : undefined
  return {
    label: visible(option.label),
    detail,
    type: option.lacks ? 'lacking' : option.kind,
    boost: (begins ? 20 : 0) + (option.required ? 10 : 0) - (option.lacks ? 50 : 0),
    info: option.info ? () => textDom('cm-info', option.info as string) : undefined,
    apply(view, chosen, from, to) {
      const empty = /(""|\{\}|\[\])$/.test(option.insert)
      const end = from + option.insert.length
      view.dispatch({
        changes: { from, to, insert: option.insert },
        selection: { anchor: empty ? end - 1 : end },
        annotations: pickedCompletion.of(chosen),
        userEvent: 'input.complete',
      })
      if (empty && option.kind === 'key') startCompletion(view)
    },
  }
}

/** A text of a server, or the English of the schema: always as text, never as markup. */
function textDom(name: string, text: string): HTMLElement {
  const dom = document.createElement('div')
  dom.className = name
  dom.lang = 'en'
  dom.textContent = visible(text)
  return dom
}

function hoverDom({ name, doc, sentence, type, required, link }: Hover): HTMLElement {
  const dom = document.createElement('div')
  dom.className = 'cm-seen'
  const code = document.createElement('code')
  code.textContent = visible(type ? `${name}: ${type}` : name)
  code.translate = false
  dom.append(code)
  if (required) dom.append(` · ${t('compose.required')}`)
  if (doc) dom.append(textDom('cm-doc', doc))
  if (sentence) {
    const said = document.createElement('div')
    said.textContent = visible(t(sentence.key, sentence.params))
    dom.append(said)
  }
  if (link) {
    const anchor = document.createElement('a')
    anchor.href = link.url
    anchor.rel = 'noreferrer'
    anchor.target = '_blank'
    anchor.textContent = link.title
    dom.append(anchor)
  }
  return dom
}
