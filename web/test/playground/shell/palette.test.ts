// Which commands the palette lists, and in which order; and that no two do the same.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../../harness/texts.ts'
import type { Command } from '../../../playground/base/commands.ts'
import { setLocale, t } from '../../../playground/base/i18n.ts'
import { type Context, search } from '../../../playground/shell/palette-search.ts'

const command = (id: string, when?: boolean): Command => ({
  id,
  title: 'shell.share',
  run() {},
  ...(when !== undefined && { when: () => when }),
})

const titles: { [id: string]: string } = {
  'compose.send': 'Send',
  'compose.sendNotification': 'Send as notification',
  'inspect.resend': 'Send again',
  'timeline.list': 'Show the list, and send nothing',
  'shell.palette': 'All commands',
}
const all = [
  command('timeline.list'),
  command('inspect.resend', false),
  command('compose.sendNotification'),
  command('compose.send'),
  command('shell.palette'),
]
const find = (wanted: string, context: Partial<Context> = {}) =>
  search(all, wanted, { title: ({ id }) => titles[id] ?? '', used: {}, area: '', ...context }).map(
    ({ id }) => id,
  )

test('without words, the commands of the pane come first, and what cannot be run last', () => {
  assert.deepEqual(find('', { area: 'compose' }), [
    'compose.sendNotification',
    'compose.send',
    'timeline.list',
    'inspect.resend',
  ])
})

test('the commands that were chosen most often come before those of the pane', () => {
  const used = { 'compose.send': 2, 'timeline.list': 1, 'inspect.resend': 9 }
  assert.deepEqual(find('', { area: 'compose', used }), [
    'compose.send',
    'timeline.list',
    'compose.sendNotification',
    'inspect.resend',
  ])
})

test('with words, all must be in the title, and titles that begin with the first come first', () => {
  assert.deepEqual(find('SEND', { used: { 'timeline.list': 5 } }), [
    'compose.sendNotification',
    'compose.send',
    'inspect.resend',
    'timeline.list',
  ])
  assert.deepEqual(find('not send'), ['timeline.list', 'compose.sendNotification'])
  assert.deepEqual(find('x'), [])
})

test('no two commands have the same title, in any language', async () => {
  const { commands } = await import('../../../playground/shell/all-commands.ts')
  for (const language of ['en', 'de', 'ja', 'zh-Hans'] as const) {
    await setLocale(language)
    const seen = commands.map(({ title, params }) => t(title, params))
    assert.equal(
      new Set(seen).size,
      seen.length,
      `${language}: ${seen.filter((one, i) => seen.indexOf(one) !== i)}`,
    )
  }
  await setLocale('en')
})
