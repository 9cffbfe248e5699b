/** Finds error messages that the documentation quotes in the sources. */

/**
 * A pattern for a message in Go and TypeScript source text, prepared by {@link sourceText}. Each `…`
 * of the message stands for a value: a verb of fmt, a template's expression, or an operand of `+`.
 * Values at the ends are not looked for, since the source may add them elsewhere.
 */
export function messagePattern(message: string): RegExp {
  const literals = message.replace(/^…|…$/g, '').split('…')
  const operand = '[\'"`] ?\\+ [^\\n]{1,80}? \\+ [\'"`]'
  const value = `(?:%(?:\\[\\d+\\])?[a-z]|\\$\\{(?:[^{}]|\\{[^{}]*\\})*\\}|${operand})`
  return new RegExp(literals.map(escaped).join(value))
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Source text without lines of comments and without backslashes before quotes. */
export function sourceText(source: string): string {
  return source.replace(/^\s*(?:\/\/|\/?\*).*$/gm, '').replace(/\\(["'`])/g, '$1')
}
