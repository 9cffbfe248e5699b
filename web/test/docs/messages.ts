/** Finds error messages that the documentation quotes in the sources, and those of the sources. */

/**
 * A pattern for a message in Go and TypeScript source text, prepared by {@link sourceText}. Each `…`
 * of the message stands for a value: a verb of fmt, a template's expression, or an operand of `+`.
 * Values at the ends are not looked for, since the source may add them elsewhere.
 */
export function messagePattern(message: string): RegExp {
  const literals = message.replace(/^…|…$/g, '').split('…')
  const operand = '[\'"`] ?\\+ ?[^\\n]{1,80}? ?\\+ ?[\'"`]'
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

/** The messages of errors that a TypeScript source makes from a literal, with `…` for each expression. */
export function errorTexts(source: string): string[] {
  const start = /\bnew \w*Error\(\s*(?:'[a-z-]+',\s*)?(['"`])/g // a JoinError has its reason first
  return [...source.matchAll(start)].map(({ index, 0: { length }, 1: quote = '' }) => {
    const rest = source.slice(index + length)
    const literal = /^(?:[^\\'"`$]|\\.|\$(?!\{)|\$\{(?:[^{}]|\{[^{}]*\})*\}|(?!Q)['"`])*/
    const pattern = new RegExp(literal.source.replace('Q', quote))
    const text = pattern.exec(rest)?.[0] ?? ''
    return text.replace(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, '…').replace(/\\(.)/g, '$1')
  })
}

/** Whether a message is that of an entry, whose `…` stand for values. */
export function isQuoted(message: string, entry: string): boolean {
  const texts = entry.replace(/^[… ]+|[… ]+$/g, '').split('…')
  return new RegExp(texts.map(escaped).join('.+?')).test(message)
}
