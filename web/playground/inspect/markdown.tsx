/** @jsxImportSource preact */
/**
 * Renders Markdown as components. No HTML is produced, so there is nothing to sanitise: HTML in the text is
 * shown as text. Images are not fetched, since a fetch would tell the author that the text is read.
 */

import { type ComponentChildren, h } from 'preact'
import { useMemo } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { safeLink } from './contents.ts'
import { blocks } from './markdown-blocks.ts'
import type { Part } from './markdown-inline.ts'

/** Longer texts are shown as plain text. */
const maxLength = 100_000 // UTF-16 code units

export function Markdown({ text }: { text: string }) {
  const parts = useMemo(() => (text.length > maxLength ? undefined : blocks(text)), [text])
  if (!parts) return <pre class="in-text">{text}</pre>
  return <div class="md">{parts.map(rendered)}</div>
}

function rendered(part: Part): ComponentChildren {
  if (typeof part === 'string') return part
  const { tag, href = '', start, done } = part
  const inner = part.parts.map(rendered)
  // Headings of a text are below those of the page.
  if (/^h[1-6]$/.test(tag)) return h(`h${Math.min(6, Number(tag[1]) + 3)}`, {}, inner)
  if (tag === 'a') return link(href, inner)
  if (tag === 'img') return link(href, t('inspect.image', { text: String(part.parts[0] || href) }))
  if (tag === 'li' && done !== undefined)
    return (
      <li>
        <input type="checkbox" disabled checked={done} aria-label={textOf(part)} /> {inner}
      </li>
    )
  return h(tag, start === undefined ? {} : { start }, inner)
}

const textOf = (part: Part): string =>
  typeof part === 'string' ? part : part.parts.map(textOf).join('')

function link(href: string, content: ComponentChildren): ComponentChildren {
  const safe = safeLink(href)
  if (!safe) return <span title={href}>{content}</span>
  return (
    <a href={safe} target="_blank" rel="noreferrer" title={safe}>
      {content}
    </a>
  )
}
