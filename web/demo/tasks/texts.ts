/** The texts of this demo, in the language of the document. */

import { load } from '../shared/texts.ts'
import { texts as english, type TasksTexts } from './texts/en.ts'

export const texts: TasksTexts = await load<TasksTexts>(english, {
  de: () => import('./texts/de.ts'),
  ja: () => import('./texts/ja.ts'),
  'zh-Hans': () => import('./texts/zh-Hans.ts'),
})
