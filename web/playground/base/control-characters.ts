/** Replaces control characters by visible symbols, without effect on the page. */
export const showControlCharacters = (text: string): string =>
  text.replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069\ufeff]/gu, (character) => {
    const code = character.charCodeAt(0)
    if (code < 0x20) return String.fromCharCode(0x2400 + code)
    return code === 0x7f ? '\u2421' : `\\u${code.toString(16).padStart(4, '0')}`
  })
