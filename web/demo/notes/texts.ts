/** The texts of this demo, in the language of the document. */

import { load } from '../shared/texts.ts'
import { texts as english } from './texts/en.ts'

export const texts = await load('notes', english)
