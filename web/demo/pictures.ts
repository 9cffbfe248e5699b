/** Small pictures of what one sees in each demo, of boxes and lines; style.css draws them. They are decoration. */

import { make } from './shared/page.ts'

const box = (className: string, ...children: (string | Node)[]) =>
  make('span', className, ...children)

/** Lines of text, each of a width in per cent. */
const lines = (...widths: number[]) =>
  widths.map((width) => {
    const line = box('line')
    line.style.inlineSize = `${width}%`
    return line
  })

const pictures: {
  readonly [demo: string]: (words: readonly string[]) => (string | Node)[]
} = {
  notes: ([title = '', ...items]) => [
    box(
      'side',
      box('entry chosen', ...lines(70, 90)),
      box('entry', ...lines(50, 80)),
      box('entry', ...lines(60, 70)),
    ),
    box(
      'sheet',
      make('strong', '', title),
      ...items.map((item) => box('item', item)),
      ...lines(55),
    ),
  ],
  trip: ([first = '', second = '', added = '']) => [
    ...[first, second].map((place, i) => box('stop', box('nth', String(i + 1)), place)),
    box('stop added', box('nth', '3'), added),
  ],
  board: (words) => words.map((word, i) => box(`sticky n${i}`, word)),
  drop: (names) => [
    box('zone', box('arrow')),
    ...names.map((name) => box('file', box('kind', name.split('.').at(-1) ?? ''), name)),
  ],
  world: ([temperature = '', sky = '']) => [
    box('weather', box('sun'), box('degrees', temperature), sky),
    box('terminal', ...lines(60, 80, 45)),
  ],
}

/** The picture of a demo; of another one, a page. */
export function picture(demo: string, words: readonly string[]): HTMLElement {
  const draw = pictures[demo]
  const drawn = make(
    'span',
    `picture ${draw ? demo : 'other'}`,
    ...(draw?.(words) ?? lines(60, 90, 80, 40)),
  )
  drawn.ariaHidden = 'true'
  return drawn
}

/** The page, the assistant, and what goes between them. */
export function scene(words: {
  page: string
  item: string
  added: string
  ask: string
  reply: string
}): HTMLElement[] {
  return [
    box(
      'window',
      box('dots'),
      make('strong', '', words.page),
      box('item', words.item),
      box('item added', words.added),
    ),
    box('wire', box('pulse')),
    box('chat', box('bubble ask', words.ask), box('bubble reply', words.reply)),
  ]
}
