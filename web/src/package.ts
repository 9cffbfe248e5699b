/**
 * All that `index.js` of the package contains: the main entry point, and what the others re-export from
 * it. So a page has each module once, with its state, whichever entry points it imports.
 */

export * from './index.ts'
export * from './pairing.ts'
export * from './redaction.ts'
export * from './sources.ts'
