/** Arguments of tools against the tools' own schemas, which are any JSON Schema. */

import { Validator } from '@cfworker/json-schema'
import type { Diagnostic } from '@codemirror/lint'
import { jsonTree, nodeAt } from '../protocol/json.ts'
import { plainValue, type ServerContext } from './schema-at.ts'

/** More than these help nobody. */
const maxProblems = 10 // flaws

/** What is wrong with the arguments of a call. The words are the validator's: English. */
export function toolProblems(source: string, { tools }: ServerContext): Diagnostic[] {
  const { root, errorAt } = jsonTree(source)
  if (errorAt !== undefined || nodeAt(root, ['method'])?.text !== 'tools/call') return []
  const name = nodeAt(root, ['params', 'name'])
  const tool = tools.find((one) => one.name === name?.text)
  if (!tool || !name) return []
  const node = nodeAt(root, ['params', 'arguments'])
  const value = plainValue(node, source) ?? {}
  try {
    const { errors } = new Validator(tool.inputSchema, '2020-12', false).validate(value)
    // the outer ones only say that there are inner ones
    const leaves = errors.filter(
      ({ keyword }) => !['properties', 'items', '$ref'].includes(keyword),
    )
    return leaves.slice(0, maxProblems).map(({ instanceLocation, error }) => {
      const path = instanceLocation.split('/').slice(1).map(step)
      const at = nodeAt(node, path)
      const small = at && at.kind !== 'object' && at.kind !== 'array' ? at : name
      return { from: small.from, to: small.to, severity: 'warning', message: error }
    })
  } catch {
    return [] // the schema itself is none
  }
}

function step(text: string): string | number {
  const name = decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~')
  return /^\d+$/.test(name) ? Number(name) : name
}
