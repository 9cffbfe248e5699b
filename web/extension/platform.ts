/**
 * What differs between browsers: a module `platform.ts` for each, in the directory of its name. The build of the
 * extension for Firefox resolves this module to the one of Firefox (server/bundle/extension.go).
 */

export * from './chromium/platform.ts'
