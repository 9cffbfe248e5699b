/** What stopped assistants may not read, for the engine: it announces nothing of that to them. */

import type { TabInfo } from './messages.ts'

/** How many resources the engine withholds; PageAccess.withhold. */
const maxWithheld = 2000

/** The tabs of sites at which assistants are stopped; if these are too many, all tabs are withheld from the assistants. */
export function withheldOf(tabs: readonly TabInfo[]): { assistant: string; uri: string }[] {
  const all = tabs.flatMap(({ id, active, stopped }) =>
    stopped.flatMap((assistant) => {
      const uris = [`tab:///${id}`, ...(active ? ['tab:///active'] : [])]
      return uris.map((uri) => ({ assistant, uri }))
    }),
  )
  if (all.length <= maxWithheld) return all
  const stopped = new Set(tabs.flatMap((tab) => tab.stopped))
  return [...stopped].slice(0, maxWithheld).map((assistant) => ({ assistant, uri: 'tab:///' }))
}
