/** Values and hints that resources, prompts and tools have in common. */

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json }

/** Hints for clients about who wants a resource, how much it matters and how old it is. */
export interface Annotations {
  audience?: ('user' | 'assistant')[]
  /** 0 (least) to 1 (most important). */
  priority?: number
  /** ISO 8601, for example `2026-01-31T12:00:00Z`. */
  lastModified?: string
}

/** An image that a client may show. */
export interface Icon {
  /**
   * An `https:` URL of at most 8 KiB, or a `data:image/` URL of at most 64 KiB. SVG is allowed: clients
   * show it as an image, where its scripts do not run. Anything else is refused.
   */
  src: string
  mimeType?: string
  /** For example `48x48`, or `any`. */
  sizes?: string[]
  theme?: 'light' | 'dark'
}
