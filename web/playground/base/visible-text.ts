/**
 * Shows the characters by which a server could make its texts look like others: controls that reverse the direction of
 * text (UAX #9). In one place for all views: every text that Preact draws passes here.
 */

import { options } from 'preact'

const hidden = /[\u202a-\u202e\u2066-\u2069]/
const all = new RegExp(hidden.source, 'g')

/** Attributes that people read or hear. */
const read = ['title', 'aria-label', 'alt', 'placeholder', 'label'] as const

/** The text with these characters as `\u202e`, which means the same in a JSON text. */
export const visible = (text: string): string =>
  hidden.test(text)
    ? text.replace(all, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
    : text

/** Applies to all that is drawn from now on. Fields keep the values that they have. */
export function makeTextsVisible(): void {
  const before = options.vnode
  options.vnode = (node) => {
    // A text is a node without a type, whose props are the string.
    const text: { type: unknown; props: unknown } = node
    if (text.type === null) {
      if (typeof text.props === 'string') text.props = visible(text.props)
    } else if (typeof text.type === 'string') {
      const props = text.props as Record<string, unknown>
      for (const name of read) {
        const value = props[name]
        if (typeof value === 'string') props[name] = visible(value)
      }
    }
    before?.(node)
  }
}
