/** P2, over ten thousand writes. */

import { unnoticed } from './writes/story.ts'

unnoticed(10_000, 240_000)
