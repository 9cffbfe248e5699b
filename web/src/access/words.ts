/** What models read about requests that the user did not allow: what to tell the user, and when to ask again. */

import type { Choice } from './dialog.ts'

/** Of a request that the user has refused. */
export function refusalWords(choice: Choice, refusals: number): string {
  if (refusals >= 3) {
    return 'The user has refused this assistant several times, and is not asked about it again before the page is loaded again. Do not try again unless they ask.'
  }
  if (choice === 'dismissed') {
    return 'The user has closed the question without a decision. Do not try again unless they ask.'
  }
  return 'The user declined. Do not try again unless they ask.'
}

/** Of a request that the user has not answered. `place`: the tab and its app. */
export const unansweredWords = {
  hidden: (place: string) =>
    `The user could not be asked: the tab ${place} is hidden. Tell the user to look at that tab, where the question waits for the next request. Do not try again before they say that they see it.`,
  visible: (place: string) =>
    `The user has not answered the question in the tab ${place}. Tell the user to look at that tab. Do not try again before they say so.`,
  covered: (place: string) =>
    `The user could not be asked: the question cannot be shown on top in the tab ${place}. Tell the user to open the page in a tab of its own. Do not try again before they say so.`,
  framed: (place: string) =>
    `The user could not be asked: ${place} is shown within another site. Tell the user to open the page in a tab of its own. Do not try again before they say so.`,
  name: 'The user could not be asked: the name of this assistant, or of the tool, has characters that cannot be shown, or is too long. Tell the user to give it another name.',
}

/** How a tab is called. */
export const placeOf = (title: string, app: string, origin: string) =>
  title === '' || title === app ? `“${app}” (${origin})` : `“${title}” (${app}, ${origin})`
