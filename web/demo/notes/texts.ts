/** The texts of this demo, in the language of the document. */

import { load } from '../shared/texts.ts'
import { texts as english, type NotesTexts } from './texts/en.ts'

export const texts: NotesTexts = await load<NotesTexts>(english, {
  de: () => import('./texts/de.ts'),
  ja: () => import('./texts/ja.ts'),
  'zh-Hans': () => import('./texts/zh-Hans.ts'),
})
