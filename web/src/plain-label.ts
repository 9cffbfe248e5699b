/**
 * Makes a name or title of untrusted text: on one line, without characters that control a terminal or
 * reorder other text (control characters, ANSI sequences, bidirectional and zero-width marks), and cut to
 * `max` UTF-16 code units, with an ellipsis.
 */
export function plainLabel(text: string, max = 200): string {
  const plain = text
    .replace(/[\s\u0085]+/g, ' ')
    .replace(ansi, '')
    .replace(unprintable, '')
    .trim()
    .toWellFormed()
  return plain.length > max ? `${plain.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…` : plain
}

/** Control sequences of ECMA-48, and terminal commands up to their end. White space is normalized before. */
const ansi = /\p{Cc}\[[0-?]*[ -\/]*[@-~]|\p{Cc}\][^\p{Cc}]*(?:\p{Cc}\\?)?/gu

/**
 * Control and format characters (C0, C1, soft hyphen, bidirectional and zero-width marks, tags), and
 * letters without a shape.
 */
const unprintable = /\p{Cc}|\p{Cf}|[\u115f\u1160\u3164\uffa0]|[\u{e0000}-\u{e0fff}]/gu
