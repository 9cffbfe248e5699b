import type { Messages } from './texts.ts'

/** All areas of this language: the bundler fills it in, see texts.ts. */
export const texts: Partial<Messages> = {}
