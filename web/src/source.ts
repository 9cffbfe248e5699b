/**
 * The interface of sources: Go's `engine.Source` in TypeScript, name for name. A source publishes resources
 * with absolute URIs (RFC 3986) of its own; the engine adds and removes the prefix of the mount.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */

import type { Callee } from './callee.ts'

/** How long clients may cache an answer (2026-07-28). */
export interface CacheHints {
  /** Milliseconds; default 0: not at all. */
  ttlMs?: number
  /** Whether a cache may be shared between clients; default `private`. */
  scope?: 'private' | 'public'
}

/**
 * Describes one resource. The engine removes control and hidden characters from `name`,
 * `title`, `description` and `mimeType`, and cuts them to 128, 200, 2,000 and 200 characters.
 */
export interface Resource {
  /** Absolute, RFC 3986. */
  uri: string
  /** For programs, and for people when there is no `title`. */
  name: string
  title?: string
  description?: string
  mimeType?: string
  /** Bytes before any encoding. */
  size?: number
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Record<string, Json>
}

/** Describes resources by an RFC 6570 URI template. Texts are cleaned like those of a {@link Resource}. */
export interface Template {
  uriTemplate: string
  name: string
  title?: string
  description?: string
  /** Only if all resources of the template share it. */
  mimeType?: string
  annotations?: Annotations
  icons?: Icon[]
  _meta?: Record<string, Json>
}

/**
 * One item of the answer of a read, with exactly one of `text` and `blob`. A blob is binary here, and
 * encoded where the channel needs Base64. Do not change bytes before it is sent.
 */
export interface Contents {
  uri: string
  mimeType?: string
  text?: string
  blob?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>
  /** Of the first item; the hints of a registered resource or template take precedence. */
  cache?: CacheHints
  _meta?: Record<string, Json>
}

/** A part of a source's list. */
export interface Listing {
  resources: Resource[]
  /** The cursor of the next part; `undefined` at the end. */
  nextCursor?: string
}

/** Options of `list`. */
export interface ListOptions extends ReadOptions {
  /** The most resources to return. */
  pageSize: number
}

/** Options of `read`. */
export interface ReadOptions {
  /** Aborted when the answer is no longer needed. */
  signal: AbortSignal
  /**
   * On whose behalf: the same name as `assistant` in an AccessRequest. The gateway vouches for that of an
   * assistant, `unnamed` if it has none; the browser for the origin of a window. `webmcp` is the browser's assistant,
   * `page` the page itself, which is also any code in it. `undefined`: an app calls the source, without an engine.
   */
  client?: string | undefined
}

/** The name of a list; `resources` includes the templates. */
export type ListName = 'resources' | 'prompts' | 'tools'

/**
 * Announces that a copy may be stale, without the new value. With a URI: the copy of that resource; with
 * `under`, of every resource whose URI begins with it. With a list: that list. Without arguments: the
 * list of resources, or the templates. Never blocks; calling it too often is harmless.
 */
export type Changed = (what?: string | { list: ListName }, under?: boolean) => void

/**
 * Publishes resources, and, by the methods of {@link Callee}, prompts, tools and completions. Methods
 * may be called concurrently and settle soon after their signal is aborted.
 */
export interface Source extends Callee {
  /**
   * Returns resources in a stable order, from `cursor` on; `undefined` is the beginning. Cursors are opaque
   * to callers, but a client may make one up: rejects with {@link BadCursorError} for one of another form. What
   * it returns for one client is not shown to another. Clients get the members of {@link Resource} alone.
   */
  list(cursor: string | undefined, options: ListOptions): Promise<Listing>

  /**
   * Returns the contents of `uri`, as the client spells it, or else in the canonical form (RFC 3986, section 6.2.2):
   * one item, or one for each of its parts. Rejects with
   * {@link NotFoundError} if there is no such resource, and with a `NotAllowedError`, a `DOMException`, if the
   * user has not shared it with the client, who is told so.
   */
  read(uri: string, options: ReadOptions): Promise<Contents[]>

  /** RFC 6570 templates that describe this source's resources. */
  templates?(): Promise<Template[]>

  /**
   * Called when the source is mounted, before all other methods; `signal` is aborted when it is unmounted or the
   * engine is closed. What a source needs also without listeners starts here: before and afterwards it has no
   * listeners, timers or channels. Called once for each mount, so several times if it is mounted several times.
   */
  mounted?(signal: AbortSignal): void

  /** Called for the first listener; `signal` is aborted after the last. */
  watch?(changed: Changed, signal: AbortSignal): void
}

/**
 * A source whose `list` and `read` can run in the engine's Worker, where a hidden
 * window does not slow them down. All other methods run where the source was made.
 */
export interface PortableSource extends Source {
  readonly portable: Portable
}

/** The description from which the Worker makes the reading half of a {@link PortableSource}. */
export interface Portable {
  readonly kind: 'idb'
  /** What a reader of that kind takes: the checked options. */
  readonly options: Json
}

/** There is no such resource, prompt or tool. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError'
  /** The URI, or the name. */
  readonly uri: string

  constructor(uri: string) {
    super(`no resource, prompt or tool ${JSON.stringify(uri)}`)
    this.uri = uri
  }
}

/** The source has not returned this cursor. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError'
  /** The unknown cursor. */
  readonly cursor: string

  constructor(cursor: string) {
    super(`no such cursor ${JSON.stringify(cursor)}`)
    this.cursor = cursor
  }
}

/** Calls code of a source, which may be an async function; reports its errors. */
export async function orReport(
  act: () => unknown,
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await act()
  } catch (error) {
    if (!signal.aborted) report(error)
  }
}

// Values and hints that resources, prompts and tools have in common.

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
