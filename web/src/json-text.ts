/** JSON text in which lone surrogates, which UTF-8 cannot carry, are U+FFFD. */
export function jsonText(value: unknown): string {
  const text = JSON.stringify(value)
  if (!text.includes('\\ud')) return text
  return text.replace(/\\(?:(ud[0-9a-f]{3})|.)/g, (part, lone) => (lone ? '\\ufffd' : part))
}
