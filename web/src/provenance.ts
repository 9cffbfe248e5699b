/**
 * Marks contents with their origin. Text that the web app's developer did not write may contain
 * instructions for a model; clients recognize it by this mark.
 */

import type { Contents } from './source.ts'

/** The `_meta` key of a {@link Provenance}. */
export const metaProvenance = 'io.github.pagemcp/provenance'

/** Built-in kinds of sources. */
export type SourceKind = 'tabs' | 'page' | 'idb' | 'storage' | 'webmcp'

/** The origin of a content. */
export interface Provenance {
  /** The serialized origin of the page whose data it is; `null` for an opaque one. */
  readonly origin: string
  readonly kind: SourceKind
  /** Other people may have written the text: it is data, not an instruction. */
  readonly untrusted: true
  /** When it was read: ISO 8601, UTC. */
  readonly time: string
}

/** The provenance of what is read now. */
export function provenanceOf(
  kind: SourceKind,
  origin: string = globalThis.origin ?? 'null',
): Provenance {
  return { origin, kind, untrusted: true, time: new Date().toISOString() }
}

/**
 * Returns the contents of a read with their provenance in `_meta`. Other members of `_meta` stay.
 *
 * @param origin - of the data; default: of this window or Worker
 */
export function withProvenance(
  kind: SourceKind,
  contents: Contents[],
  origin: string = globalThis.origin ?? 'null',
): Contents[] {
  const provenance = provenanceOf(kind, origin)
  return contents.map((item) => ({
    ...item,
    _meta: { ...item._meta, [metaProvenance]: { ...provenance } },
  }))
}

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
