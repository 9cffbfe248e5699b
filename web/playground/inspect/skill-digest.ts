/**
 * Whether a file of a skill has the bytes that the list of skills promises. A host must not use one that has not: SEP-2640,
 * Integrity.
 */

import type { Skill } from '../connections/catalogue.ts'
import { bytesOf, partsOf } from './contents.ts'
import { sha256 } from './hex.ts'

export interface PromisedFile {
  uri: string
  /** `sha256:` and 64 hexadecimal digits. */
  digest?: string
  /** bytes */
  size?: number
}

/** The entry of a file; undefined: no skill lists it with a digest. Servers may send anything. */
export function promisedFile(skills: readonly Skill[], uri: string): PromisedFile | undefined {
  for (const { resources } of skills)
    for (const file of Array.isArray(resources) ? resources : [])
      if (file?.uri === uri && file.digest !== undefined) return file
}

/** @returns undefined: this page has no hashes, since it is not a secure context */
export async function keepsPromise(
  message: unknown,
  { digest, size }: PromisedFile,
): Promise<boolean | undefined> {
  const [part, ...more] = partsOf(message)
  const bytes = part && more.length === 0 ? bytesOf(part) : undefined
  if (!bytes || (size !== undefined && bytes.length !== size)) return false
  const hash = await sha256(bytes)
  return hash ? digest === `sha256:${hash}` : undefined
}
