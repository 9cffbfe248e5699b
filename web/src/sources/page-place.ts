/** Where an element is, and what of it can be seen. */

import type { Box } from './page-boxes.ts'
import type { Shape } from './page-clip.ts'

/** What a descendant needs to know of where it is. */
export interface Place {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  /** `display`; `contents` has no box. */
  readonly display: string
  /** Where its parent is. */
  readonly within: Place | undefined
  readonly opacity: number
  /** What can be seen of content in the flow. */
  readonly flow: Box
  /** What `clip` and `clip-path` of it and of all around it leave, wherever content is positioned. */
  readonly cut: Box
  readonly shapes: readonly Shape[]
  /** How much transforms shrink letters, and whether they are seen from the front. */
  readonly scale: number
  readonly facing: 1 | -1
  /** Whether text right here can be seen; found out when it is asked for. */
  shows?: boolean
}
