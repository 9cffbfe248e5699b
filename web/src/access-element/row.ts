/** The row of an assistant in the panel. */

import type { AssistantGrant, PageAccess, Right } from '../access-types.ts'
import { fill } from '../translation.ts'
import { button, grantingButton, make, setText } from './dom.ts'
import { callsItself, isNamed, nameOf } from './names.ts'
import type { Texts } from './texts.ts'
import { moment } from './times.ts'
import { type AssistantState, grantOf } from './watch.ts'

/** What the buttons of a row do. */
export interface Actions {
  stop(assistant: string): void
  allow(assistant: string, right: Right): void
  askAgain(assistant: string): void
}

export interface Row {
  readonly element: HTMLTableRowElement
  update(state: AssistantState, mode: PageAccess['mode']): void
}

/** Makes a row, which stays the same element as long as there is the assistant: the user may be clicking it. */
export function assistantRow(
  { assistant }: AssistantState,
  actions: Actions,
  texts: Texts,
  locale: string,
  signal: AbortSignal,
): Row {
  const name = nameOf(assistant, texts)
  const note = make('span', 'note')
  const head = make('th', 'assistant', make('bdi', 'name', name), note)
  head.scope = 'row'
  head.role = 'rowheader'
  head.tabIndex = -1 // gets the focus of a button that goes away
  const rights = make('ul', 'rights')
  const last = make('time', '')
  const usage = make('span', '')

  const stop = button('stop', texts.stop, () => actions.stop(assistant))
  const allow = (['read', 'act'] as const).map((right) => ({
    right,
    ...grantingButton(
      'allow',
      right === 'read' ? texts.allowRead : texts.allowAct,
      () => actions.allow(assistant, right),
      signal,
    ),
  }))
  const askAgain = grantingButton('ask', texts.askAgain, () => actions.askAgain(assistant), signal)
  const buttons = [stop, ...allow.map(({ element }) => element), askAgain.element]
  for (const one of buttons) {
    one.ariaLabel = fill(texts.about, { action: one.textContent ?? '', name })
  }
  const cells = [
    cell(texts.may, rights),
    cell(texts.last, last),
    cell(texts.today, usage),
    cell('', make('div', 'buttons', ...buttons)),
  ]
  const element = make('tr', 'row', head, ...cells)

  return {
    element,
    update(state, mode) {
      const { grants, lastUsed, readsToday, callsToday, isActive, isStopped } = state
      element.classList.toggle('active', isActive)
      element.classList.toggle('stopped', isStopped)
      const own = callsItself(assistant, state.callsItself)
      setText(note, own === undefined ? '' : fill(texts.callsItself, { name: own }))
      note.hidden = own === undefined || (isNamed(assistant) && own === name)
      const lines = linesOf(grants, mode, texts, locale)
      if (lines.map((line) => line.textContent).join('\n') !== textOf(rights)) {
        rights.replaceChildren(...lines)
      }
      setText(last, lastUsed === undefined ? texts.never : moment(lastUsed, locale))
      if (lastUsed !== undefined) last.dateTime = new Date(lastUsed).toISOString()
      const [reads, calls] = [readsToday, callsToday].map((count) => count.toLocaleString(locale))
      setText(usage, fill(texts.usage, { reads, calls } as Record<string, string>))

      const focused = (element.getRootNode() as ShadowRoot).activeElement
      stop.hidden = isStopped
      // One right after the other: the first that is denied.
      const denied = allow.find(({ right }) => grantOf(grants, right)?.allow === false)
      for (const one of allow) one.show(one === denied)
      askAgain.show(grants.some((grant) => !grant.allow) && mode !== 'open')
      if (buttons.some((one) => one === focused && one.hidden)) head.focus()
    },
  }
}

function cell(label: string, content: Node): HTMLTableCellElement {
  const made = make('td', '', content)
  if (label !== '') made.dataset.label = label
  return made
}

function textOf(list: HTMLElement): string {
  return [...list.children].map((line) => line.textContent).join('\n')
}

/** A line for each right, and for each tool with a decision of its own. */
function linesOf(
  grants: readonly AssistantGrant[],
  mode: PageAccess['mode'],
  texts: Texts,
  locale: string,
): HTMLLIElement[] {
  const without = { ask: texts.asks, open: texts.reasons.open, policy: texts.decides }[mode]
  const line = (label: string, grant: AssistantGrant | undefined) => {
    const detail = grant === undefined ? without : durationOf(grant, texts, locale)
    const made = make('li', '', make('span', 'right', label), ' ', make('span', 'detail', detail))
    made.classList.toggle('denied', grant?.allow === false)
    return made
  }
  const tools = grants.filter(({ tool }) => tool !== undefined)
  return [
    line(texts.read, grantOf(grants, 'read')),
    line(texts.act, grantOf(grants, 'act')),
    ...tools.map((grant) => line(fill(texts.tool, { tool: grant.tool ?? '' }), grant)),
  ]
}

function durationOf({ allow, lasts, until }: AssistantGrant, texts: Texts, locale: string): string {
  if (!allow) return texts.denied
  const text = lasts === 'session' ? texts.session : texts.always
  return fill(text, { time: moment(until, locale) })
}
