/** Validates arguments of tools against their own JSON Schemas. */

import { Validator } from '@cfworker/json-schema'
import type { Diagnostic } from '@codemirror/lint'
import { getNodeValue } from 'jsonc-parser'
import { endOf, isStructure, jsonTree, nodeAt } from '../protocol/json.ts'
import type { ServerContext } from './schema-at.ts'

/** Further problems are omitted. */
const maxProblems = 10 // flaws

/** Problems of the arguments of a call. The texts are the validator's, in English. */
export function toolProblems(source: string, { tools }: ServerContext): Diagnostic[] {
  const { root, errorAt } = jsonTree(source)
  if (errorAt !== undefined || nodeAt(root, ['method'])?.value !== 'tools/call') return []
  const name = nodeAt(root, ['params', 'name'])
  const tool = tools.find((one) => one.name === name?.value)
  if (!tool || !name) return []
  const node = nodeAt(root, ['params', 'arguments'])
  const value = node ? getNodeValue(node) : {}
  try {
    const { errors } = new Validator(tool.inputSchema, '2020-12', false).validate(value)
    // outer errors only repeat that there are inner ones
    const leaves = errors.filter(
      ({ keyword }) => !['properties', 'items', '$ref'].includes(keyword),
    )
    return leaves.slice(0, maxProblems).map(({ instanceLocation, error }) => {
      const path = instanceLocation.split('/').slice(1).map(step)
      const at = nodeAt(node, path)
      const small = at && !isStructure(at) ? at : name
      return { from: small.offset, to: endOf(small), severity: 'warning', message: error }
    })
  } catch {
    return [] // the schema itself is invalid
  }
}

function step(text: string): string | number {
  const name = decodeURIComponent(text).replaceAll('~1', '/').replaceAll('~0', '~')
  return /^\d+$/.test(name) ? Number(name) : name
}
