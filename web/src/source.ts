/**
 * What a source is: the TypeScript side of Go's `engine.Source`, name for name. A source publishes
 * resources whose URIs are absolute (RFC 3986) and its own; the engine puts the prefix of the mount
 * before them and takes it off again.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
 */

import type { Callee } from './callee.ts'
import type { Annotations, Icon, Json } from './metadata.ts'

export type { Annotations, Icon, Json } from './metadata.ts'

/** How long an answer may be kept by whoever got it (2026-07-28). */
export interface CacheHints {
  /** Milliseconds; default 0: ask again whenever it is needed. */
  ttlMs?: number
  /** Whether others may be given the same answer; default `private`. */
  scope?: 'private' | 'public'
}

/**
 * Describes one thing that can be read. The engine removes control and hidden characters from `name`,
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
 * One item of what a read answers with: exactly one of `text` and `blob`. A blob stays binary here;
 * base64 is made where the channel needs it. Bytes may be handed over: do not change them afterwards.
 */
export interface Contents {
  uri: string
  mimeType?: string
  text?: string
  blob?: Blob | ArrayBuffer | Uint8Array<ArrayBuffer>
  /** Of the first item; what is said of a registered resource or template goes before. */
  cache?: CacheHints
  _meta?: Record<string, Json>
}

/** A part of a source's list. */
export interface Listing {
  resources: Resource[]
  /** The cursor of what follows; `undefined` at the end. */
  nextCursor?: string
}

/** How `list` shall answer. */
export interface ListOptions {
  /** The most resources to answer with. */
  pageSize: number
  /** Ends when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** How `read` shall answer. */
export interface ReadOptions {
  /** Ends when nobody waits for the answer any more. */
  signal: AbortSignal
}

/** A list of what is served; that of resources goes with the templates. */
export type ListName = 'resources' | 'prompts' | 'tools'

/**
 * Says that a copy may be stale; never carries the new value. With a URI: the copy of that resource;
 * with `under`, that of every resource whose URI begins with it. With a list: that list. Without
 * anything: the list of resources, or the templates. Never blocks; calling it too often is harmless.
 */
export type Changed = (what?: string | { list: ListName }, under?: boolean) => void

/**
 * Publishes resources, and, by the methods of {@link Callee}, prompts, tools and completions. Methods
 * may be called concurrently and settle soon after their signal is aborted.
 */
export interface Source extends Callee {
  /**
   * Resources in a stable order, from `cursor` on; `undefined` is the beginning. Cursors are opaque
   * to others. Rejects with {@link BadCursorError} for one that was never given out.
   */
  list(cursor: string | undefined, options: ListOptions): Promise<Listing>

  /**
   * The contents of `uri`: one item, or one for each of its parts. Rejects with
   * {@link NotFoundError} if there is no such resource.
   */
  read(uri: string, options: ReadOptions): Promise<Contents[]>

  /** RFC 6570 templates that describe this source's resources. */
  templates?(): Promise<Template[]>

  /** Called for the first listener; `signal` is aborted after the last. */
  watch?(changed: Changed, signal: AbortSignal): void
}

/**
 * A source whose `list`, `read` and `templates` can run in the engine's Worker, where a hidden
 * window does not slow them down. `watch` stays where the source was made.
 */
export interface PortableSource extends Source {
  readonly portable: Portable
}

/** What the Worker makes the reading half of a {@link PortableSource} from. */
export interface Portable {
  readonly kind: 'idb' | 'opfs' | 'caches'
  /** What the reader of that kind is made with. */
  readonly options: Json
}

/** There is no such resource, prompt or tool. */
export class NotFoundError extends Error {
  override readonly name = 'NotFoundError'
  /** The URI, or the name, that was asked for. */
  readonly uri: string

  constructor(uri: string) {
    super(`no resource, prompt or tool ${JSON.stringify(uri)}`)
    this.uri = uri
  }
}

/** The cursor was never given out by this source. */
export class BadCursorError extends Error {
  override readonly name = 'BadCursorError'
  /** The cursor that was asked for. */
  readonly cursor: string

  constructor(cursor: string) {
    super(`no such cursor ${JSON.stringify(cursor)}`)
    this.cursor = cursor
  }
}

/** Calls a source's `watch`; what it throws or rejects with is reported. */
export function watchSource(
  source: Pick<Source, 'watch'>,
  changed: Changed,
  signal: AbortSignal,
  report: (error: unknown) => void,
): void {
  try {
    const outcome: unknown = source.watch?.(changed, signal)
    Promise.resolve(outcome).catch((error) => signal.aborted || report(error))
  } catch (error) {
    report(error)
  }
}
