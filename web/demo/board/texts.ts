/** The texts of this demo, in the language of the document. */

import { load } from '../shared/texts.ts'
import { type BoardTexts, texts as english } from './texts/en.ts'

export const texts: BoardTexts = await load<BoardTexts>(english, {
  de: () => import('./texts/de.ts'),
  ja: () => import('./texts/ja.ts'),
  'zh-Hans': () => import('./texts/zh-Hans.ts'),
})
