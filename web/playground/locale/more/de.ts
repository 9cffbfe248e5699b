import type { Messages } from '../../app/i18n.ts'
import { connections } from '../de/connections.ts'
import { explain } from '../de/explain.ts'

/** The long texts: what messages mean, and what is wrong with connections. */
export const more: Pick<Messages, 'connections' | 'explain'> = {
  connections,
  explain,
}
