/**
 * Underlines the problems of the text, shows their messages under the pointer, and moves to the next one.
 * `@codemirror/lint` does the same, but its panel, gutter and actions are 5 KB of script more.
 */

import { type Extension, StateEffect, StateField } from '@codemirror/state'
import { activateHover, Decoration, EditorView, hoverTooltip, ViewPlugin } from '@codemirror/view'
import { visible } from '../base/visible-text.ts'

/** A problem of the text between two offsets, in UTF-16 code units. They are equal in an empty text. */
export interface Problem {
  from: number
  to: number
  severity: 'error' | 'warning'
  message: string
}

/** Delay after typing before problems are looked for. */
const delay = 250 // ms

const found = StateEffect.define<readonly Problem[]>()

/** Something other than the text has changed that problems depend on. */
export const problemsOutdated = StateEffect.define<undefined>()

const shown = StateField.define<readonly Problem[]>({
  create: () => [],
  update(problems, { docChanged, changes, effects }) {
    const news = effects.find((effect) => effect.is(found))
    if (news) return news.value
    if (!docChanged) return problems
    return problems
      .map((one) => ({ ...one, from: changes.mapPos(one.from, 1), to: changes.mapPos(one.to, -1) }))
      .filter(({ from, to }) => from < to)
  },
  provide: (field) =>
    EditorView.decorations.from(field, (problems) =>
      Decoration.set(
        problems
          .filter(({ from, to }) => from < to)
          .map(({ from, to, severity }) =>
            Decoration.mark({ class: `cm-problem cm-${severity}` }).range(from, to),
          ),
        true,
      ),
    ),
})

const tooltip = hoverTooltip(
  (view, at, side) => {
    const here = view.state
      .field(shown)
      .filter(
        ({ from, to }) =>
          from === to ||
          (from <= at && at <= to && (at > from || side > 0) && (at < to || side < 0)),
      )
    const [first] = here
    return first
      ? { pos: first.from, end: first.to, above: true, create: () => ({ dom: list(here) }) }
      : null
  },
  {
    // Problems are looked for again when the server's lists arrive; most often they are the same.
    hideOn: ({ docChanged, effects, startState }) =>
      docChanged ||
      effects.some(
        (effect) => effect.is(found) && text(effect.value) !== text(startState.field(shown)),
      ),
  },
)

const text = (problems: readonly Problem[]) => `${problems.map(({ message }) => message)}`

function list(problems: readonly Problem[]): HTMLElement {
  const dom = document.createElement('ul')
  dom.className = 'cm-problems'
  for (const { severity, message } of problems) {
    const item = document.createElement('li')
    item.className = `cm-${severity}`
    item.textContent = visible(message)
    dom.append(item)
  }
  return dom
}

/** Shows the problems that a function finds in the text, some time after each change. */
export function problemMarks(check: (text: string) => readonly Problem[]): Extension {
  const checks = ViewPlugin.define((view) => {
    let timer: ReturnType<typeof setTimeout>
    const schedule = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        const problems = check(view.state.doc.toString())
        view.dispatch({ effects: found.of(problems.toSorted((a, b) => a.from - b.from)) })
      }, delay)
    }
    schedule()
    return {
      update({ docChanged, transactions }) {
        const outdated = transactions.some(({ effects }) =>
          effects.some((effect) => effect.is(problemsOutdated)),
        )
        if (docChanged || outdated) schedule()
      },
      destroy: () => clearTimeout(timer),
    }
  })
  return [shown, tooltip, checks]
}

/** Selects the next problem after the selection, or the first, shows its message, and announces it. */
export function nextProblem(view: EditorView): boolean {
  const problems = view.state.field(shown)
  const { to } = view.state.selection.main
  const next = problems.find((one) => one.to > to) ?? problems[0]
  if (!next) return false
  view.dispatch({
    selection: { anchor: next.from, head: next.to },
    scrollIntoView: true,
    effects: EditorView.announce.of(next.message),
  })
  activateHover(view, next.from, 1, {
    tooltip,
    until: ({ docChanged, newSelection: { main } }) =>
      docChanged || main.head < next.from || main.head > next.to,
  })
  return true
}
