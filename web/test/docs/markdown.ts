/** Reads the project's markdown: its anchors, links and code fences. */

import { lexer, type Token, walkTokens } from 'marked'

export interface Fence {
  /** The first word after the backticks, such as `ts`; `''` if there is none. */
  readonly language: string
  readonly text: string
}

export interface Document {
  /** What links can name after `#`, as GitHub makes it of headings. */
  readonly anchors: ReadonlySet<string>
  /** Targets of links and images, as written. Links in code are text, and not among them. */
  readonly links: readonly string[]
  readonly fences: readonly Fence[]
  /** Code in sentences and tables. */
  readonly code: readonly string[]
}

export function readMarkdown(markdown: string): Document {
  const anchors = new Set<string>()
  const links: string[] = []
  const fences: Fence[] = []
  const code: string[] = []
  walkTokens(lexer(markdown), (token) => {
    switch (token.type) {
      case 'heading':
        anchors.add(unused(anchors, slug(plainText(token.tokens ?? []))))
        break
      case 'codespan':
        code.push(token.text)
        break
      case 'link':
      case 'image':
        links.push(token.href)
        break
      case 'html':
        for (const [, target] of token.text.matchAll(/\b(?:href|src)="([^"]*)"/g))
          links.push(target)
        for (const [, id] of token.text.matchAll(/\b(?:id|name)="([^"]*)"/g)) anchors.add(id)
        break
      case 'code':
        fences.push({ language: /^\w*/.exec(token.lang ?? '')?.[0] ?? '', text: token.text })
    }
  })
  return { anchors, links, fences, code }
}

/** What a reader sees of inline tokens. */
function plainText(tokens: readonly Token[]): string {
  return tokens
    .map((token) => ('tokens' in token && token.tokens ? plainText(token.tokens) : textOf(token)))
    .join('')
}

function textOf(token: Token): string {
  return 'text' in token ? token.text : ''
}

/** GitHub's anchor of a heading: lower case, hyphens for blanks, no punctuation. */
export function slug(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
    .replaceAll(' ', '-')
}

/** Of several equal headings, the second one gets `-1`, the third one `-2`. */
function unused(anchors: ReadonlySet<string>, anchor: string): string {
  if (!anchors.has(anchor)) return anchor
  let number = 1
  while (anchors.has(`${anchor}-${number}`)) number++
  return `${anchor}-${number}`
}
