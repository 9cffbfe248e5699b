/** The texts of this demo, in the language of the document. */

import { load } from '../shared/texts.ts'
import { texts as english, type WorldTexts } from './texts/en.ts'

export const texts: WorldTexts = await load<WorldTexts>(english, {
  de: () => import('./texts/de.ts'),
  ja: () => import('./texts/ja.ts'),
  'zh-Hans': () => import('./texts/zh-Hans.ts'),
})
