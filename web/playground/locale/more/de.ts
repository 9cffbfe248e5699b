import { connections } from '../de/connections.ts'
import { explain } from '../de/explain.ts'
import type { Messages } from '../texts.ts'

/** The long texts: what messages mean, and what is wrong with connections. */
export const more: Pick<Messages, 'connections' | 'explain'> = {
  connections,
  explain,
}
