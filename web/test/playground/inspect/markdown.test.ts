import assert from 'node:assert/strict'
import { test } from 'node:test'
import { blocks } from '../../../playground/inspect/markdown-blocks.ts'
import type { Part } from '../../../playground/inspect/markdown-inline.ts'

/** The tree in the notation `tag[parts]`; of links `a(href)[…]`. */
function drawn(part: Part): string {
  if (typeof part === 'string') return part.replaceAll('\n', '⏎')
  const { tag, href, start, done } = part
  const facts = [href, start, done].filter((one) => one !== undefined).join()
  return `${tag}${facts && `(${facts})`}[${part.parts.map(drawn).join('')}]`
}

const draw = (text: string) => blocks(text).map(drawn).join(' ')

test('the blocks of a text', () => {
  for (const [text, expected] of [
    ['# One #\n\ntext', 'h1[One] p[text]'],
    ['###### Six\n####### seven', 'h6[Six] p[####### seven]'],
    ['#hashtag', 'p[#hashtag]'],
    ['Title\n===\nSub\n---', 'h1[Title] h2[Sub]'],
    ['a\nb\n\nc', 'p[a⏎b] p[c]'],
    ['a  \nb\\\nc', 'p[a  br[]bbr[]c]'],
    ['---\n***', 'hr[] hr[]'],
    ['```js\n*a*\n\n# b\n```\nc', 'pre[*a*⏎⏎# b] p[c]'],
    ['~~~\nopen', 'pre[open]'],
    ['    code\n\n    more\n\ntext', 'pre[code⏎⏎more] p[text]'],
    ['> a\nlazy\n> > b\n\nc', 'blockquote[p[a⏎lazy]blockquote[p[b]]] p[c]'],
    ['- a\n- b\n  - c\n\n  d\n- e', 'ul[li[a]li[bul[li[c]]d]li[e]]'],
    ['3. a\n4. b\n- c', 'ol(3)[li[a]li[b]] ul[li[c]]'],
    ['- [x] done\n- [ ] open', 'ul[li(true)[done]li(false)[open]]'],
    ['- a\n\n- b', 'ul[li[a]li[b]]'],
    ['- ```\n  code\n  ```', 'ul[li[pre[code]]]'],
    [
      '| a | b |\n|---|:-:|\n| 1 \\| 2 | *3* |\n| 4 |\n\ntext',
      'table[tr[th[a]th[b]]tr[td[1 | 2]td[em[3]]]tr[td[4]td[]]] p[text]',
    ],
    ['a | b', 'p[a | b]'],
    ['<b>html</b>', 'p[<b>html</b>]'],
    ['', ''],
  ] as const) {
    assert.equal(draw(text), expected, JSON.stringify(text))
  }
})

test('the parts of a line', () => {
  for (const [text, expected] of [
    ['**a** *b* __c__ _d_ ~~e~~', 'strong[a] em[b] strong[c] em[d] del[e]'],
    ['**a *b* c**', 'strong[a em[b] c]'],
    ['*a **b** c*', 'em[a strong[b] c]'],
    ['2 * 3 * 4, snake_case_name, a* b', '2 * 3 * 4, snake_case_name, a* b'],
    ['**open', '**open'],
    ['`a*b*` ``x`y`` ` z', 'code[a*b*] code[x`y] ` z'],
    ['\\*a\\* \\z', '*a* \\z'],
    ['[a *b*](https://x.example/(1) "t") [c]', 'a(https://x.example/(1))[a em[b]] [c]'],
    ['![cat](https://x.example/c.png)', 'img(https://x.example/c.png)[cat]'],
    ['[bad](javascript:alert(1))', 'a(javascript:alert(1))[bad]'],
    [
      '<https://x.example/a> see https://x.example/b.',
      'a(https://x.example/a)[https://x.example/a] see a(https://x.example/b)[https://x.example/b].',
    ],
    ['[[a]](b)', 'a(b)[[a]]'],
  ] as const) {
    assert.equal(draw(text), `p[${expected}]`, text)
  }
})

test('hostile texts are parsed, and stay bounded', () => {
  const length = 100_000 // UTF-16 code units
  for (const unit of [
    '>',
    '> ',
    '- ',
    '[',
    '![',
    '](',
    '*',
    '**a ',
    '_a_',
    '`',
    '``a`',
    '~~a',
    '<a',
    '|',
    '1. ',
    '\\',
    '[](',
    '  \n',
    '#',
    ' #',
    '-\n',
    '|-',
    '* * ',
    '[a](b "',
    'https://',
  ]) {
    const parts = blocks(unit.repeat(length / unit.length))
    const depth = (part: Part): number =>
      typeof part === 'string' ? 0 : 1 + Math.max(0, ...part.parts.map(depth))
    assert.ok(parts.map(depth).reduce((a, b) => Math.max(a, b), 0) < 100, unit)
  }
})
