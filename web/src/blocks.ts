/**
 * Content of prompts and of tools' results: blocks of text, images, sound and resources.
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
 */

import type { Annotations, Icon, Json } from './metadata.ts'

interface Block {
  annotations?: Annotations
  _meta?: Record<string, Json>
}

export interface TextContent extends Block {
  type: 'text'
  text: string
}

export interface ImageContent extends Block {
  type: 'image'
  /** Base64. */
  data: string
  mimeType: string
}

export interface AudioContent extends Block {
  type: 'audio'
  /** Base64. */
  data: string
  mimeType: string
}

/** A resource that the client may read, in the list or not. */
export interface ResourceLink extends Block {
  type: 'resource_link'
  uri: string
  name: string
  title?: string
  description?: string
  mimeType?: string
  /** Bytes. */
  size?: number
  icons?: Icon[]
}

/** A resource with its content. */
export interface EmbeddedResource extends Block {
  type: 'resource'
  resource: {
    uri: string
    mimeType?: string
    text?: string
    /** Base64. */
    blob?: string
    _meta?: Record<string, Json>
  }
}

export type ContentBlock =
  | TextContent
  | ImageContent
  | AudioContent
  | ResourceLink
  | EmbeddedResource

/** Whether a value has the `type` of a block. */
export function isBlock(value: unknown): value is ContentBlock {
  if (typeof value !== 'object' || value === null) return false
  const { type, text, data, uri, resource } = value as Record<string, unknown>
  switch (type) {
    case 'text':
      return typeof text === 'string'
    case 'image':
    case 'audio':
      return typeof data === 'string'
    case 'resource_link':
      return typeof uri === 'string'
  }
  return type === 'resource' && typeof resource === 'object' && resource !== null
}

/** Text as a block. */
export function textBlock(text: string): TextContent {
  return { type: 'text', text: text.toWellFormed() }
}
