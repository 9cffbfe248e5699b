import { connections } from '../ja/connections.ts'
import { explain } from '../ja/explain.ts'
import type { Messages } from '../texts.ts'

/** The long texts: what messages mean, and what is wrong with connections. */
export const more: Pick<Messages, 'connections' | 'explain'> = {
  connections,
  explain,
}
