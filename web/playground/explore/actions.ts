/** Actions of Explore: each sends a request of the active client, and Inspect shows the response. */

import { actions } from '../base/actions.ts'
import { show } from '../base/state.ts'
import { visible } from '../base/visible-text.ts'
import { active } from '../connections/clients.ts'
import { type Params, request } from '../protocol/revisions.ts'

/** Sends a request and shows its response. */
export async function send(method: string, params: Params): Promise<void> {
  const session = active.peek()
  if (session === undefined || session.connection.dialer.readOnly) return
  const { row } = await session.request(method, params)
  if (row >= 0) actions.inspect(row)
}

/** Writes a request into a new tab of the composer. */
export function write(method: string, params: Params, title: string): void {
  const session = active.peek()
  if (session === undefined) return
  const message = request(
    session.revision.peek(),
    session.nextId(),
    method,
    params,
    session.capabilities.peek(),
  )
  actions.compose(visible(JSON.stringify(message, null, 2)), title)
  show({ pane: 'compose' })
}

/**
 * The server's completions of an argument: at most 100 values; none if it has none or fails.
 *
 * @param ref - `{ type: 'ref/prompt', name }` or `{ type: 'ref/resource', uri }`
 * @param filled - values of the other arguments
 */
export async function complete(
  ref: Params,
  name: string,
  value: string,
  filled: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const session = active.peek()
  if (session?.peer.peek()?.capabilities.completions === undefined) return []
  const { [name]: _, ...others } = filled
  const { result } = await session.request('completion/complete', {
    ref,
    argument: { name, value },
    ...(Object.keys(others).length > 0 && { context: { arguments: others } }),
  })
  const values = (result?.completion as { values?: unknown } | undefined)?.values
  return Array.isArray(values) ? values.filter((one) => typeof one === 'string') : []
}

/** The smallest arguments of a tool: required members by their types. */
export function minimalArguments(schema: Params | undefined): Params {
  const properties = (schema?.properties ?? {}) as Record<string, Params>
  const required = Array.isArray(schema?.required) ? (schema.required as string[]) : []
  return Object.fromEntries(required.map((name) => [name, emptyOf(properties[name])]))
}

function emptyOf(schema: Params | undefined): unknown {
  if (schema?.default !== undefined) return schema.default
  if (Array.isArray(schema?.enum)) return schema.enum[0]
  switch (schema?.type) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 0
    case 'boolean':
      return false
    case 'array':
      return []
    case 'object':
      return minimalArguments(schema)
    default:
      return ''
  }
}
