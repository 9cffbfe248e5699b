/** Checks of subscriptions, in both eras. */

import type { Params } from '../../protocol/revisions.ts'
import { type Check, skip } from '../trial.ts'
import { end, listen, need, subscription, unknownUri } from './requests.ts'

export const subscriptions: readonly Check[] = [
  [
    'R-144 R-145 R-150 R-152',
    'D',
    async (trial) => {
      need(trial, 'resources.subscribe')
      const { uri } = trial.first('resources')
      const send = (verb: string) => trial.ask(`resources/${verb}`, { uri })
      const empty = (result: Params) => Object.keys(result).length === 0
      trial.gave('R-144', await send('subscribe'), empty)
      trial.gave('R-152', await send('subscribe'))
      trial.gave('R-145', await send('unsubscribe'), empty)
      trial.gave('R-152', await send('unsubscribe'))
      trial.refused(
        'R-150',
        await trial.ask('resources/subscribe', { uri: unknownUri(trial) }),
        -32002,
        -32602,
      )
    },
  ],
  [
    'R-154 R-157 R-168 R-169 R-171',
    'E',
    async (trial) => {
      trial.refused('R-154', await trial.ask('subscriptions/listen', {}), -32602)
      const empty = await listen(trial.main, {})
      trial.ok('R-154', empty, empty.granted)
      end(trial.main, empty.asked.id)
      const wanted = {
        resourceSubscriptions: ['no scheme', unknownUri(trial)],
        resourcesListChanged: true,
        promptsListChanged: true,
        toolsListChanged: true,
        unknown: true,
      }
      const full = await listen(trial.main, wanted)
      end(trial.main, full.asked.id)
      const { granted = {} } = full
      trial.ok('R-157 R-169', full, full.granted && !('unknown' in granted))
      trial.ok(
        'R-171',
        full,
        full.granted && !((granted.resourceSubscriptions ?? []) as string[]).includes('no scheme'),
      )
      for (const name of ['resources', 'prompts', 'tools']) {
        const { listChanged } = (trial.caps[name] ?? {}) as Params
        if (!listChanged)
          trial.ok(
            'R-168',
            full,
            full.granted && !granted[`${name}ListChanged`],
            `no ${name}ListChanged: listChanged is not declared`,
          )
      }
      if (!(trial.caps.resources as Params | undefined)?.subscribe)
        trial.ok(
          'R-168',
          full,
          full.granted && !((granted.resourceSubscriptions ?? []) as string[]).length,
          'no resourceSubscriptions: subscribe is not declared',
        )
    },
  ],
  [
    'R-159 R-161 R-353',
    'E',
    async (trial) => {
      const other = await trial.fresh()
      for (const id of [9001, '9001', 0, 'a']) {
        const one = await listen(trial.main, {}, id)
        trial.ok(
          'R-159',
          one,
          one.granted,
          `an acknowledgement with the subscription id ${JSON.stringify(id)}`,
        )
      }
      const second = await listen(trial.main, {})
      trial.ok('R-161', second, second.granted)
      const same = await listen(other, {}, 9001)
      trial.ok('R-353', same, same.granted)
      for (const id of [9001, '9001', 0, 'a', second.asked.id]) end(trial.main, id)
      end(other, 9001)
    },
  ],
  [
    'R-163',
    'E',
    async (trial) => {
      const { asked, granted } = await listen(trial.main, { resourcesListChanged: true })
      if (!granted) skip('no acknowledgement')
      end(trial.main, asked.id)
      await trial.main.barrier()
      const from = trial.main.got.length
      await trial.main.barrier()
      const late = trial.main.got.slice(from).find(({ text }) => text.includes(subscription))
      trial.ok(
        'R-163',
        late ?? asked,
        !late && (!asked.reply || 'result' in asked.reply.message === false),
      )
    },
  ],
]
