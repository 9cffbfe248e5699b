/** The panel of a paired browser: joined pages, who read what today, and *Stop*. */

import { type GatewayState, type JoinedPage, monitor } from './monitor.ts'
import { type Entry, merged, type Reader, readersOf } from './readers.ts'
import { inLanguage, tag } from './shared/language.ts'
import { element, icon, make, shared } from './shared/page.ts'
import { say } from './shared/texts.ts'
import { noteWatch } from './shared/watch.ts'
import type { StartTexts } from './texts/en.ts'

/** Longest text of a page or an assistant that is shown. */
const maxLength = 80 // UTF-16 code units

/** Characters that could make a text look like another one. */
const hidden = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu

/** A text of a page or an assistant. */
const plain = (text: string, most = maxLength) =>
  text.replace(hidden, '\ufffd').slice(0, most) + (text.length > most ? '…' : '')

const timeText = (time: string | number) =>
  new Intl.DateTimeFormat(tag, { timeStyle: 'short' }).format(new Date(time))

/** Shows the panel while the gateway lets this browser monitor it. */
export function showTraffic(address: string, texts: StartTexts): void {
  let state: GatewayState | undefined
  let entries: readonly Entry[] = []
  const rows = new Map<string, ReturnType<typeof readerRow>>()
  const stopAll = element<HTMLButtonElement>('stop-all')

  const show = () => {
    element('traffic').hidden = state === undefined
    if (state === undefined) return
    const today = new Date().setHours(0, 0, 0, 0)
    const readers = readersOf(entries, today)
    const isPaused = state.paused > Date.now()
    element('joined').replaceChildren(...state.pages.map((page) => pageRow(page, texts)))
    element('no-pages').hidden = state.pages.length > 0
    element('no-readers').hidden = readers.length > 0
    stopAll.hidden = isPaused
    element('paused').hidden = !isPaused
    element('paused').textContent = isPaused
      ? say(texts.stoppedUntil, { time: timeText(state.paused) })
      : ''
    const shown = readers.map((reader) => {
      const row = rows.get(reader.who) ?? readerRow(reader.who, texts, stop)
      rows.set(reader.who, row)
      const own = state?.stopped.find(({ assistant }) => assistant === reader.who)
      row.update(reader, own && own.until > Date.now() ? own.until : 0, isPaused)
      return row.item
    })
    // Rows that are in their place stay: the user may be about to press one's button.
    const list = element('readers')
    for (const [at, item] of shown.entries())
      if (list.children[at] !== item) list.insertBefore(item, list.children[at] ?? null)
    while (list.children.length > shown.length) list.lastElementChild?.remove()
  }

  const stop = monitor(address, {
    state(next) {
      state = next
      show()
    },
    entries(more) {
      entries = merged(entries, more)
      show()
    },
    gone() {
      state = undefined
      show()
    },
  })
  stopAll.addEventListener('click', () => stop(''))
}

function pageRow({ name, title, origin, here, since }: JoinedPage, texts: StartTexts): HTMLElement {
  const watch = make('a', 'plain', icon('eye'), shared.watch) as HTMLAnchorElement
  watch.href = inLanguage(`playground/?watch=${encodeURIComponent(name)}`)
  watch.target = '_blank'
  watch.addEventListener('click', () => noteWatch(name))
  const when = here ? say(texts.joinedAt, { time: timeText(since) }) : texts.pageAway
  return make(
    'li',
    'row',
    make(
      'div',
      '',
      make('strong', '', plain(title || name)),
      make('span', 'soft', [plain(name), plain(origin), when].join(' · ')),
    ),
    watch,
  )
}

function readerRow(who: string, texts: StartTexts, stop: (who: string) => void) {
  const name = make('strong', '')
  const facts = make('span', 'soft')
  const latest = make('span', 'bar')
  const button = make('button', '', texts.stop) as HTMLButtonElement
  button.type = 'button'
  button.addEventListener('click', () => stop(who))
  return {
    item: make('li', 'row', make('div', '', name, facts, latest), button),
    update(
      { isNamed, claims, reads, calls, denied, latest: uris, last }: Reader,
      until: number,
      isPaused: boolean,
    ) {
      const own = claims ? say(texts.callsItself, { name: plain(claims, 40) }) : ''
      name.textContent = isNamed ? who : texts.unnamed
      const counted = [...reads].map(([page, count]) => `${plain(page || '–', 40)} ${count}`)
      facts.textContent = [
        own,
        counted.length > 0 && say(texts.readToday, { pages: counted.join(', ') }),
        calls > 0 && say(texts.ranToday, { count: String(calls) }),
        denied > 0 && say(texts.deniedToday, { count: String(denied) }),
        say(texts.lastAt, { time: timeText(last) }),
      ]
        .filter(Boolean)
        .join(' · ')
      latest.replaceChildren(...uris.map((uri) => make('code', '', plain(uri))))
      button.hidden = until > 0 || isPaused
      button.ariaLabel = `${texts.stop}: ${name.textContent}`
      if (until > 0) facts.textContent += ` · ${say(texts.stoppedUntil, { time: timeText(until) })}`
    },
  }
}
