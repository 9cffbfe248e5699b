import type { Messages } from '../texts.ts'
import { connections } from '../zh-Hans/connections.ts'
import { explain } from '../zh-Hans/explain.ts'

/** The long texts: what messages mean, and what is wrong with connections. */
export const more: Pick<Messages, 'connections' | 'explain'> = {
  connections,
  explain,
}
