// The options that all built-in sources have in common: one shape, one error.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './kit.ts' // declares globalThis.sourcesKit

const site = serveKit('sources/kit.ts')

const polling = ['storage']

inBrowsers('wrong options are refused by all sources with one kind of error', async ({ open }) => {
  const tab = await open(site.url())
  await tab.waitForFunction('globalThis.sourcesKit !== undefined')
  const got = await tab.evaluate(() => {
    const attempt = (act: () => unknown) => {
      try {
        act()
        return 'accepted'
      } catch (error) {
        return `${(error as Error).name}: ${(error as Error).message}`
      }
    }
    const polls: unknown[] = [
      0,
      249,
      -1,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      2 ** 31,
      '500',
      true,
    ]
    polls.push(null, { seconds: 10 })
    return Object.entries(sourcesKit.sources).map(([name, make]) => ({
      name,
      polls: polls.map((poll) => attempt(() => make({ poll }))),
      accepted: [250, 60_000, false, undefined].map((poll) => attempt(() => make({ poll }))),
      signals: [null, 'x', {}, new EventTarget()].map((signal) => attempt(() => make({ signal }))),
      missing: attempt(() => make({ databases: null, local: 'x', select: [], text: 'main' })),
    }))
  })
  for (const { name, polls, accepted, signals, missing } of got) {
    assert.deepEqual(new Set(accepted), new Set(['accepted']), name)
    const shown = [
      '0',
      '249',
      '-1',
      'NaN',
      'Infinity',
      '2147483648',
      '"500"',
      'true',
      'null',
      '{"seconds":10}',
    ]
    if (polling.includes(name)) {
      assert.deepEqual(
        polls,
        shown.map(
          (one) => `TypeError: ${name}: poll must be false or at least 250 (ms), not ${one}`,
        ),
      )
    }
    assert.deepEqual(
      signals,
      ['null', '"x"', '{}', '{}'].map(
        (one) => `TypeError: ${name}: signal must be an AbortSignal, not ${one}`,
      ),
    )
    assert.match(missing, new RegExp(`^TypeError: ${name}: \\w+ must be .*, not `), missing)
  }
})

inBrowsers('options that are no object are refused by all sources alike', async ({ open }) => {
  const tab = await open(site.url())
  await tab.waitForFunction('globalThis.sourcesKit !== undefined')
  const got = await tab.evaluate(() =>
    Object.entries(sourcesKit.functions).flatMap(([name, make]) =>
      [null, 'x', 1].map((options) => {
        try {
          make(options as never)
          return 'accepted'
        } catch (error) {
          return String(error).replace(name, '*')
        }
      }),
    ),
  )
  const expected = ['null', '"x"', '1'].map(
    (one) => `TypeError: *: options must be an object, not ${one}`,
  )
  assert.deepEqual(new Set(got), new Set(expected))
})
