/** A finding of doctor.ts. */

import type { Key } from '../base/i18n.ts'

/** One finding. */
export interface Finding {
  step: 'url' | 'network' | 'reach' | 'cors' | 'auth' | 'version' | 'session'
  /** `note`: not a problem, but worth knowing. */
  state: 'good' | 'note' | 'bad'
  says: Key
  params?: Readonly<Record<string, string | number>>
  /** Header lines that the server must add, as in HTTP. */
  lines?: readonly string[]
}
