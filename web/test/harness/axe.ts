/** axe-core, in a page. It sees only part of what matters for accessibility. */

import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'puppeteer-core'

/** The source of axe, to be evaluated in a page first. */
export const axe = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
)

/** The rules that depend on the theme. All others hold in both if they hold in one. */
export const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds within `part`, a CSS selector, a line each, once all animations are at their end.
 *
 * @param rules - which are tried; default: all of WCAG 2.2 A and AA, and best practices
 */
export async function violations(
  page: Page,
  part: string,
  rules?: readonly string[],
): Promise<string[]> {
  return page.evaluate(
    async (within, only) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            part: string,
            options: object,
          ): Promise<{
            violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[]
          }>
        }
      }
      // Colours in the midst of an animation are those of no state. One that has no end cannot be finished.
      for (const animation of document.getAnimations()) {
        if (Number.isFinite(animation.effect?.getComputedTiming().endTime)) animation.finish()
      }
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      const { violations } = await axe.run(within, {
        runOnly: only ?? tags,
        resultTypes: ['violations'],
        iframes: false, // of other origins: axe would ask them by messages that they do not get
      })
      // What a scroller cuts off is measured by axe as if it lay under what follows.
      const isCut = (target: unknown) => {
        const element = typeof target === 'string' ? document.querySelector(target) : null
        for (let box = element?.parentElement; box; box = box.parentElement) {
          const inner = element?.getBoundingClientRect()
          const outer = box.getBoundingClientRect()
          const clips = getComputedStyle(box).overflowY !== 'visible'
          if (inner && clips && (inner.bottom > outer.bottom || inner.top < outer.top)) return true
        }
        return false
      }
      return violations.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ target }) => id !== 'target-size' || !isCut(target[0]))
          .map(({ target, failureSummary = '' }) => {
            return `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1] ?? ''}`
          }),
      )
    },
    part,
    rules,
  )
}
