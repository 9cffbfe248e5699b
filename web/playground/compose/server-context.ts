/** The known state of the server that the composer writes for. */

import { catalogue } from '../connections/catalogue.ts'
import { active, drafts } from '../connections/clients.ts'
import { noServer, type ServerContext } from './schema-at.ts'

/** A component or effect that reads it follows the lists of the active session. */
export function serverContext(): ServerContext {
  const session = active.value
  const { revision: spoken } = drafts.value.open.value
  if (session === undefined) return noServer(spoken)
  const { lists } = catalogue(session)
  return {
    revision: spoken,
    resources: lists.resources.value.items,
    templates: lists.templates.value.items,
    prompts: lists.prompts.value.items,
    tools: lists.tools.value.items,
    capabilities: session.peer.value?.capabilities,
    asked: session.asked.value,
  }
}
