/**
 * HTML to Markdown, by turndown and its tables by Joplin's plug-in: a module of its own, loaded when
 * Markdown is read for the first time.
 *
 * @see https://github.com/mixmark-io/turndown
 * @see https://github.github.com/gfm/
 */

import { gfm } from '@joplin/turndown-plugin-gfm'
import Turndown from 'turndown'

/** Makes CommonMark, with the tables of GitHub, of an element that is in no page. */
export function toMarkdown(element: HTMLElement): string {
  converter ??= new Turndown({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  }).use(gfm)
  return converter.turndown(element).trim()
}

let converter: Turndown | undefined
