/**
 * Where contents come from, said with each of them: what the web app's developer did not write may
 * hold words that are meant for a model, and a client can tell it apart by this mark.
 */

import type { Contents } from './source.ts'

/** The `_meta` key of a {@link Provenance}. */
export const metaProvenance = 'io.github.pagemcp/provenance'

/** Built-in kinds of sources. */
export type SourceKind = 'tabs' | 'page' | 'idb' | 'storage' | 'opfs' | 'caches'

/** Where a content comes from. */
export interface Provenance {
  /** The serialized origin of the page whose data it is; `null` for an opaque one. */
  readonly origin: string
  readonly kind: SourceKind
  /** The text may have been written by anybody: it is data, never an instruction. */
  readonly untrusted: true
  /** When it was read: ISO 8601, UTC. */
  readonly time: string
}

/**
 * The contents of a read, each with its provenance in `_meta`. What `_meta` has already stays.
 *
 * @param origin - of the data; default: of this window or Worker
 */
export function withProvenance(
  kind: SourceKind,
  contents: Contents[],
  origin: string = globalThis.origin ?? 'null',
): Contents[] {
  const provenance: Provenance = { origin, kind, untrusted: true, time: new Date().toISOString() }
  return contents.map((item) => ({
    ...item,
    _meta: { ...item._meta, [metaProvenance]: { ...provenance } },
  }))
}

/**
 * Text of the page as a name or title: what could steer a terminal or reorder other text is taken out
 * (control characters, ANSI sequences, bidirectional and zero-width marks), and it is cut to `max`
 * UTF-16 code units.
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

/** Control sequences of ECMA-48, and commands to a terminal up to their end. Blanks are plain by then. */
const ansi = /\p{Cc}\[[0-?]*[ -/]*[@-~]|\p{Cc}\][^\p{Cc}]*(?:\p{Cc}\\?)?/gu

/**
 * Control and format characters (C0, C1, soft hyphen, bidirectional and zero-width marks, tags), and
 * letters without a shape.
 */
const unprintable = /\p{Cc}|\p{Cf}|[\u115f\u1160\u3164\uffa0]|[\u{e0000}-\u{e0fff}]/gu
