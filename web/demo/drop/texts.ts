/** The texts of this demo, in the language of the document. */

import { load } from '../shared/texts.ts'
import { type DropTexts, texts as english } from './texts/en.ts'

export const texts: DropTexts = await load<DropTexts>(english, {
  de: () => import('./texts/de.ts'),
  ja: () => import('./texts/ja.ts'),
  'zh-Hans': () => import('./texts/zh-Hans.ts'),
})
