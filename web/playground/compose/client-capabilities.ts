/** The capabilities that a client declares, as switches. */

import type { Session } from '../connections/session.ts'
import { showAnswer } from '../messages/select-answer.ts'
import { replaceAt } from '../protocol/json.ts'
import {
  isModern,
  isObject,
  metaCapabilities,
  type Params,
  type Revision,
} from '../protocol/revisions.ts'

/** Requests for these can be answered by forms; of `tasks`, an extension, the composer follows states. */
export const abilities = ['elicitation', 'sampling', 'roots', 'tasks'] as const
export type Ability = (typeof abilities)[number]

const tasks = 'io.modelcontextprotocol/tasks'

/** Whether a revision has a capability. */
export const hasAbility = (revision: Revision, ability: Ability): boolean =>
  ability !== 'tasks' || isModern(revision)

/** Members that a server may require of them; others are ignored. */
const details = ['form', 'url', 'tools', 'context', 'listChanged']

/** The value of a declared capability. 2025-06-18 has forms only, and no name for them. */
const declaredAs = (ability: Ability, revision: Revision): Params =>
  ability === 'elicitation' && revision > '2025-06-18' ? { form: {}, url: {} } : {}

/** Whether a client declares a capability. */
export const isDeclared = (capabilities: Params, ability: Ability): boolean =>
  ability === 'tasks' ? tasks in extensionsIn(capabilities) : capabilities[ability] !== undefined

const extensionsIn = ({ extensions }: Params): Params => (isObject(extensions) ? extensions : {})

function withTasks({ extensions, ...others }: Params, on: boolean): Params {
  const { [tasks]: _, ...rest } = extensionsIn({ extensions })
  const all = on ? { ...rest, [tasks]: {} } : rest
  return Object.keys(all).length > 0 ? { ...others, extensions: all } : others
}

/** Declares a capability, or no longer. Clients of older revisions reconnect: they declare in the handshake. */
export function declare(session: Session, ability: Ability, on: boolean): Promise<void> {
  if (ability === 'tasks') return change(session, withTasks(session.capabilities.peek(), on))
  const { [ability]: _, ...others } = session.capabilities.peek()
  return change(
    session,
    on ? { ...others, [ability]: declaredAs(ability, session.revision.peek()) } : others,
  )
}

async function change(session: Session, capabilities: Params): Promise<void> {
  session.capabilities.value = capabilities
  const revision = session.revision.peek()
  if (!isModern(revision)) return session.restart(revision)
  const path = ['params', '_meta', metaCapabilities]
  const { drafts } = session
  const text = replaceAt(drafts.open.peek().text, path, JSON.stringify(capabilities))
  if (text !== undefined) drafts.replace(text)
}

/** The capabilities that an error -32021 requires and the playground has. */
export function requiredOf(message: unknown): Ability[] {
  const error = isObject(message) && isObject(message.error) ? message.error : {}
  const data = isObject(error.data) ? error.data : {}
  const required = isObject(data.requiredCapabilities) ? data.requiredCapabilities : {}
  return abilities.filter((ability) =>
    ability === 'tasks'
      ? Object.hasOwn(extensionsIn(required), tasks)
      : Object.hasOwn(required, ability),
  )
}

/** Declares what an error -32021 requires, and sends the request again. */
export async function declareAndRetry(
  session: Session,
  request: string,
  answer: unknown,
): Promise<void> {
  const { data } = (answer as { error: { data: { requiredCapabilities: Params } } }).error
  let all = { ...session.capabilities.peek() }
  for (const ability of requiredOf(answer)) {
    if (ability === 'tasks') {
      all = withTasks(all, true)
      continue
    }
    const own = data.requiredCapabilities[ability]
    const named = Object.entries(isObject(own) ? own : {}).filter(([name]) =>
      details.includes(name),
    )
    const before = isObject(all[ability]) ? all[ability] : {}
    all[ability] = {
      ...declaredAs(ability, session.revision.peek()),
      ...before,
      ...Object.fromEntries(named),
    }
  }
  await change(session, all)
  const message = JSON.parse(request) as Params
  const params = isObject(message.params) ? message.params : {}
  const _meta = { ...(isObject(params._meta) ? params._meta : {}), [metaCapabilities]: all }
  const again = {
    ...message,
    id: session.nextId(),
    ...(isModern(session.revision.peek()) && { params: { ...params, _meta } }),
  }
  showAnswer(session.connection.send(JSON.stringify(again)))
}
