/** P2, as far as two thousand writes show it; writes.soak.ts has more of them. */

import { unnoticed } from './writes/story.ts'

unnoticed(2000, 120_000)
