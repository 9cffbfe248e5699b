/** Checks of completion, prompts and pagination; of tools only if the user allows calls. */

import type { Params } from '../../protocol/revisions.ts'
import { lists } from '../rules/seen.ts'
import { type Check, skip } from '../trial.ts'
import { argumentsOf, need } from './requests.ts'

export const prompts: readonly Check[] = [
  [
    'R-181 R-182 R-188 R-190 R-191',
    'DE',
    async (trial) => {
      need(trial, 'completions')
      const send = (ref: unknown, argument: unknown) =>
        trial.ask('completion/complete', { ref, argument })
      const prompt = trial
        .some('prompts')
        .find((one) => Array.isArray(one.arguments) && one.arguments.length > 0)
      const argument = { name: 'test', value: '' }
      trial.refused(
        'R-190',
        await send({ type: 'ref/prompt', name: 'conformance-unknown' }, argument),
        -32602,
      )
      for (const [ref, one] of [
        [{ type: 'ref/other', name: 'x' }, argument],
        [5, argument],
        [{ type: 'ref/prompt' }, argument],
        [
          { type: 'ref/prompt', name: 'x' },
          { name: 'x', value: 5 },
        ],
      ])
        trial.refused('R-188', await send(ref, one), -32602)
      if (prompt) {
        const ref = { type: 'ref/prompt', name: prompt.name }
        trial.gave(
          'R-181',
          await send(ref, { name: (prompt.arguments as Params[])[0]?.name, value: '' }),
        )
        const odd = await send(ref, { name: 'conformance-unknown', value: '' })
        trial.ok(
          'R-191',
          odd,
          odd.error?.code === -32602 ||
            (odd.result?.completion as Params)?.values?.toString() === '',
        )
      }
      const template = trial
        .some('resourceTemplates')
        .find(({ uriTemplate }) => /\{\w+\}/.test(String(uriTemplate)))
      if (template)
        trial.gave(
          'R-182',
          await send(
            { type: 'ref/resource', uri: template.uriTemplate },
            { name: /\{(\w+)\}/.exec(String(template.uriTemplate))?.[1], value: '' },
          ),
        )
    },
  ],
  // Prompts
  [
    'R-204 R-205 R-206 R-208',
    'DE',
    async (trial) => {
      need(trial, 'prompts')
      trial.refused(
        'R-204',
        await trial.ask('prompts/get', { name: 'conformance-unknown' }),
        -32602,
      )
      for (const prompt of trial.some('prompts').slice(0, 4)) {
        const { name } = prompt
        const all = (prompt.arguments ?? []) as { name: string; required?: boolean }[]
        if (all.some((one) => one.required))
          trial.refused('R-205', await trial.ask('prompts/get', { name, arguments: {} }), -32602)
        const [argument] = all
        if (argument)
          trial.refused(
            'R-208',
            await trial.ask('prompts/get', { name, arguments: { [argument.name]: 5 } }),
            -32602,
          )
        const reply = await trial.ask('prompts/get', {
          name,
          arguments: await argumentsOf(trial, prompt, true),
        })
        if (reply.result && all.some((one) => !one.required))
          trial.gave(
            'R-206',
            await trial.ask('prompts/get', {
              name,
              arguments: await argumentsOf(trial, prompt, false),
            }),
          )
      }
    },
  ],
  // Pagination
  [
    'R-213 R-143 R-216 R-218',
    'DE',
    async (trial) => {
      for (const [method] of lists.filter(([one]) => trial.caps[one.split('/')[0] as string])) {
        const id = method === 'resources/templates/list' ? 'R-216 R-143' : 'R-216'
        trial.refused(id, await trial.ask(method, { cursor: 'conformance-unknown' }), -32602)
        if (trial.era === 'E')
          trial.refused('R-218', await trial.ask(method, { cursor: '' }), -32602)
        const cursor = trial.cursors[method]
        if (cursor !== undefined) trial.gave('R-213', await trial.ask(method, { cursor }))
      }
    },
  ],
  // Tools: only if the user allows calls.
  [
    'R-364',
    'DE',
    async (trial) => {
      need(trial, 'tools')
      if (!trial.mayCall) skip('calls of tools are not allowed')
      trial.refused(
        'R-364',
        await trial.ask('tools/call', { name: 'conformance-unknown', arguments: {} }),
        -32602,
      )
    },
  ],
]
