/**
 * Reads transcripts: testdata/transcripts, as wasm/enginetest/transcripts.go describes them. They are
 * txtar archives; golang.org/x/tools/txtar has the format.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { readArchive } from '../../playground/lessons/archive.ts'
import type { SkillEntry } from '../../src/registry.ts'
import type { Deed } from './calls.ts'

/** A resource or template of a transcript's world. */
export interface Thing {
  name: string
  text?: string
  blob?: string
  mimeType?: string
  delay?: string
  panic?: boolean
  /** Of a template. */
  complete?: Record<string, string[]>
  /** Several items, instead of text. */
  contents?: { uri: string; mimeType?: string; text?: string; blob?: string }[]
  cache?: { ttlMs?: number; scope?: 'private' | 'public' }
  [description: string]: unknown
}

export interface Transcript {
  readonly name: string
  readonly options: Record<string, unknown>
  readonly info: Record<string, string>
  readonly resources: Record<string, Thing>
  readonly templates: Record<string, Thing>
  readonly prompts: Record<string, Deed>
  readonly tools: Record<string, Deed>
  /** Entries by URI, which they lack. */
  readonly skills: Record<string, Omit<SkillEntry, 'uri'>>
  /** Texts by URI of a source that is mounted after one that always fails. */
  readonly later: Record<string, string>
  readonly lines: readonly Line[]
}

export type Line =
  | { what: 'send'; client: string; text: string }
  | { what: 'expect'; client: string; text: string }
  | { what: 'event'; verb: string; subject: string; value: string }

const folder = new URL('../../../testdata/transcripts/', import.meta.url)

export function transcripts(): Transcript[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.txtar'))
    .sort()
    .map((file) => read(file.replace('.txtar', ''), readFileSync(new URL(file, folder), 'utf8')))
}

function read(name: string, archive: string): Transcript {
  const { files: sections } = readArchive(archive)
  const json = (file: string) => JSON.parse(sections.get(file) ?? '{}')
  return {
    name,
    options: json('options.json'),
    info: json('info.json'),
    resources: json('resources.json'),
    templates: json('templates.json'),
    prompts: json('prompts.json'),
    tools: json('tools.json'),
    skills: json('skills.json'),
    later: json('later.json'),
    lines: (sections.get('transcript') ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map(lineOf),
  }
}

function lineOf(line: string): Line {
  const [, arrow = '', client = '', rest = ''] = /^(->|<-|!)(\S*)\s*(.*)$/s.exec(line) ?? []
  switch (arrow) {
    case '->':
      if (client.endsWith('q')) return { what: 'send', client: '', text: unquote(rest) }
      return { what: 'send', client, text: rest }
    case '<-':
      return { what: 'expect', client, text: rest }
    case '!': {
      const [, verb = '', subject = '', value = ''] = /^(\S+)\s*(\S*)\s*(.*)$/s.exec(rest) ?? []
      return { what: 'event', verb, subject, value }
    }
  }
  throw new Error(`a line of a transcript begins with ->, <- or !, not ${line}`)
}

/** A quoted Go string. Bytes that are not UTF-8 cannot be in a JavaScript string: U+FFFD. */
function unquote(quoted: string): string {
  return JSON.parse(quoted.replace(/\\x[0-9a-f]{2}/g, '\\ufffd'))
}
