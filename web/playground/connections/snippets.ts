/** Snippets by framework, from snippets.txtar: code blocks of the documentation. */

export interface Snippet {
  /** `HTML`, `Vite`, `React` … */
  framework: string
  code: string
}

export function parseSnippets(text: string): Snippet[] {
  const [, ...parts] = text.split(/^-- (.+) --\n/m)
  return parts.flatMap((framework, i) =>
    i % 2 === 0 ? [{ framework, code: (parts[i + 1] ?? '').trimEnd() }] : [],
  )
}
