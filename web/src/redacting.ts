/** The app's hook for contents. redact-contents.ts has the code; if that does not load, reads fail. */

import { lazily } from './module.ts'
import type { redactContents as contents, redactReady as ready } from './redact-contents.ts'

export type { Redact } from './redact-contents.ts'

const load = () => lazily('redact-contents.js', import('./redact-contents.ts'))

/** There is a hook, which contents will pass. */
export const prepareRedaction = () => void load()

/** The answer of a provider after the hook. Rejects if the hook throws. */
export const redactReady: typeof ready = async (...args) => (await load()).redactReady(...args)

/** The contents of a source after the hook. Rejects if the hook throws, or nothing is left. */
export const redactContents: typeof contents = async (...args) =>
  (await load()).redactContents(...args)
