/** What the doctor finds; doctor.ts. */

import type { Key } from '../base/i18n.ts'

/** One thing that was found. */
export interface Finding {
  step: 'url' | 'network' | 'reach' | 'cors' | 'auth' | 'version' | 'session'
  /** `note`: nothing is wrong, but it is good to know. */
  state: 'good' | 'note' | 'bad'
  says: Key
  params?: Readonly<Record<string, string | number>>
  /** What the server has to send in addition, as it stands in HTTP. */
  lines?: readonly string[]
}
