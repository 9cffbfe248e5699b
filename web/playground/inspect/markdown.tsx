/** @jsxImportSource preact */
/**
 * Renders Markdown as components. `marked` only parses; no HTML is produced, so there is nothing to sanitise:
 * HTML in the text is shown as text. Images are not fetched, since a fetch would tell the author that the text
 * is read.
 */

import { lexer, type Token, type Tokens } from 'marked'
import { type ComponentChildren, Fragment, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { safeLink } from './contents.ts'

/** Maximum depth of quotes and lists: a hostile text could have thousands. */
const maxDepth = 20

/** Longer texts are shown as plain text: `marked` parses them several times. */
const maxLength = 100_000 // UTF-16 code units

/** More nested markers than any real text has; `marked` takes minutes for them. */
const absurd = /(?:>[ \t]*|[*+-][ \t]+){50}/

export function Markdown({ text }: { text: string }) {
  const tokens = useMemo(() => {
    if (text.length > maxLength || absurd.test(text)) return undefined
    try {
      return lexer(text)
    } catch {
      return undefined // too deep
    }
  }, [text])
  if (!tokens) return <pre class="in-text">{text}</pre>
  return <div class="md">{nodes(tokens, 0)}</div>
}

function nodes(tokens: readonly Token[] | undefined, depth: number): ComponentChildren {
  if (!tokens) return null
  if (depth > maxDepth) return tokens.map(({ raw }) => raw).join('')
  return tokens.map((token, index) => h(Fragment, { key: index }, node(token, depth + 1)))
}

function node(token: Token, depth: number): ComponentChildren {
  const inner = () => nodes((token as Tokens.Generic).tokens, depth)
  switch (token.type) {
    case 'heading':
      // Headings of a text are below those of the page.
      return h(`h${Math.min(6, token.depth + 3)}`, {}, inner())
    case 'paragraph':
      return <p>{inner()}</p>
    case 'strong':
      return <strong>{inner()}</strong>
    case 'em':
      return <em>{inner()}</em>
    case 'del':
      return <del>{inner()}</del>
    case 'blockquote':
      return <blockquote>{inner()}</blockquote>
    case 'code':
      return <pre>{token.text}</pre>
    case 'codespan':
      return <code>{token.text}</code>
    case 'br':
      return <br />
    case 'hr':
      return <hr />
    case 'space':
    case 'def':
      return null
    case 'list':
      return list(token as Tokens.List, depth)
    case 'table':
      return table(token as Tokens.Table, depth)
    case 'link':
      return link(token.href, inner())
    case 'image':
      return link(token.href, t('inspect.image', { text: token.text || token.href }))
    case 'text':
      return token.tokens ? inner() : token.text
    case 'escape':
      return token.text
    default:
      return token.raw // also HTML
  }
}

function link(href: string, content: ComponentChildren): ComponentChildren {
  const safe = safeLink(href)
  if (!safe) return <span title={href}>{content}</span>
  return (
    <a href={safe} target="_blank" rel="noreferrer" title={safe}>
      {content}
    </a>
  )
}

function list({ ordered, start, items }: Tokens.List, depth: number) {
  const children = items.map((item, index) => (
    <li key={index}>
      {item.task && (
        <input type="checkbox" disabled checked={item.checked} aria-label={item.text} />
      )}
      {nodes(item.tokens, depth)}
    </li>
  ))
  return ordered ? <ol start={Number(start) || 1}>{children}</ol> : <ul>{children}</ul>
}

function table({ header, rows }: Tokens.Table, depth: number) {
  return (
    <table>
      <thead>
        <tr>
          {header.map((cell, index) => (
            <th key={index}>{nodes(cell.tokens, depth)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={index}>
            {row.map((cell, index) => (
              <td key={index}>{nodes(cell.tokens, depth)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
