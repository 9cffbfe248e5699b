/** The panel of `<pagemcp-access>`: who has access, what they did, and the buttons that end it. */

import type { PageAccess } from '../access-types.ts'
import { fill, type Language } from '../translation.ts'
import { auditList } from './audit.ts'
import { button, grantingButton, make, setText } from './dom.ts'
import { nameOf } from './names.ts'
import { type Actions, assistantRow, type Row } from './row.ts'
import { type Texts, textsIn } from './texts.ts'
import { clock, localeOf } from './times.ts'
import { type AccessHost, type AccessState, watchAccess } from './watch.ts'

/** The pause of the button. */
const pauseTime = 3_600_000 // ms

/** Fills a shadow root with the panel, until the signal aborts. */
export function showPanel(
  root: ShadowRoot,
  mcp: AccessHost,
  language: Language,
  signal: AbortSignal,
): void {
  const { access } = mcp
  const texts = textsIn(language)
  const locale = localeOf(language)

  const title = make('h2', 'title', texts.title)
  title.tabIndex = -1 // gets the focus of a row that goes away
  const status = make('p', 'status')
  status.role = 'status'
  const problem = make('p', 'problem')
  problem.role = 'alert'
  const said = make('p', 'said')
  said.role = 'status'

  const run = async (action: () => Promise<void>) => {
    setText(problem, '')
    try {
      await action()
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      setText(problem, fill(texts.failed, { error: message.slice(0, 200) }))
      globalThis.reportError?.(error)
    }
  }
  const pause = button('pause', texts.pause, () => run(() => access.pause(pauseTime)))
  const resume = grantingButton('resume', texts.resume, () => run(() => access.resume()), signal)
  const stopAll = button('stop', texts.stopAll, () => run(() => access.revoke()))
  const none = make('p', 'none', texts.none)
  const { table, body } = emptyTable(texts)
  const audit = auditList(access, texts, locale)

  const panel = make(
    'section',
    'panel',
    title,
    status,
    make('div', 'buttons', pause, resume.element, stopAll),
    problem,
    none,
    table,
    audit.element,
    make('p', 'provider', texts.provider),
    said,
  )
  panel.ariaLabel = texts.title
  panel.lang = language
  root.replaceChildren(panel)

  const actions: Actions = actionsOf(access, run)
  const rows = new Map<string, Row>()
  let known: ReadonlyMap<string, boolean> | undefined // whether an assistant is stopped
  const show = (state: AccessState) => {
    const { assistants, mode, pausedUntil } = state
    const isPaused = pausedUntil !== undefined
    const paused = isPaused && fill(texts.paused, { time: clock(pausedUntil, locale) })
    setText(status, paused || texts[mode])
    panel.classList.toggle('paused', isPaused)
    const hadFocus = root.activeElement
    pause.hidden = isPaused
    resume.show(isPaused)
    if (hadFocus === pause && isPaused) resume.element.focus()
    if (hadFocus === resume.element && !isPaused) pause.focus()
    stopAll.disabled = assistants.every(({ isStopped }) => isStopped)
    none.hidden = assistants.length > 0
    table.hidden = assistants.length === 0
    for (const [assistant, row] of rows) {
      if (assistants.some((one) => one.assistant === assistant)) continue
      if (row.element.contains(root.activeElement)) title.focus()
      row.element.remove()
      rows.delete(assistant)
    }
    for (const one of assistants) {
      let row = rows.get(one.assistant)
      if (row === undefined) {
        row = assistantRow(one, actions, texts, locale, signal)
        rows.set(one.assistant, row)
        body.append(row.element)
      }
      row.update(one, mode)
    }
    setText(said, known === undefined ? '' : changes(known, assistants))
    known = new Map(assistants.map((one) => [one.assistant, one.isStopped]))
    audit.changed()
  }

  /** What has changed for assistants, to be read out. The last one stays until there is another one. */
  const changes = (before: ReadonlyMap<string, boolean>, now: AccessState['assistants']) => {
    const news = now.flatMap(({ assistant, isStopped }) => {
      const was = before.get(assistant)
      if (was === isStopped) return []
      const text = isStopped ? texts.stopped : was ? texts.returned : texts.appeared
      return [fill(text, { name: nameOf(assistant, texts) })]
    })
    return news.length > 0 ? news.join(' ') : (said.textContent ?? '')
  }
  watchAccess(mcp, show, { signal })
}

function actionsOf(access: PageAccess, run: (action: () => Promise<void>) => unknown): Actions {
  return {
    stop: (assistant) => run(() => access.revoke(assistant)),
    allow: (assistant, right) => run(() => access.allow(assistant, right)),
    askAgain: (assistant) => run(() => access.forget(assistant)),
  }
}

function emptyTable(texts: Texts) {
  const columns = [texts.assistant, texts.may, texts.last, texts.today, texts.actions]
  const headings = columns.map((text) => {
    const hidden = text === texts.actions
    const cell = make('th', '', hidden ? make('span', 'said', text) : text)
    cell.scope = 'col'
    cell.role = 'columnheader'
    return cell
  })
  const body = make('tbody', '')
  const table = make('table', 'table', make('thead', '', make('tr', '', ...headings)), body)
  table.ariaLabel = texts.title
  return { table, body }
}
