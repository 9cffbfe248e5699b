/** The position of an element, and its visible area. */

import type { Box } from './page-boxes.ts'
import type { Shape } from './page-clip.ts'

/** The properties of an element that the visibility of its descendants depends on. */
export interface Place {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  /** `display`; `contents` has no box. */
  readonly display: string
  /** The place of its parent. */
  readonly within: Place | undefined
  readonly opacity: number
  /** The visible area of content in the flow. */
  readonly flow: Box
  /** The area that `clip` and `clip-path` of it and its ancestors leave, also for positioned content. */
  readonly cut: Box
  readonly shapes: readonly Shape[]
  /** The scale of letters by transforms, and whether their front is visible. */
  readonly scale: number
  readonly facing: 1 | -1
  /** Whether text directly in the element is visible; computed on demand. */
  shows?: boolean
}
