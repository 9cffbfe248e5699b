/** Checks of resources: lists, templates, and reads. */

import { expand } from '../../base/expand.ts'
import type { Params } from '../../protocol/revisions.ts'
import { type Check, skip } from '../trial.ts'
import { complete, need, unknownUri } from './requests.ts'

export const resources: readonly Check[] = [
  [
    'R-109',
    'DE',
    async (trial) => {
      need(trial, 'resources')
      const uris = trial.some('resources').map(({ uri }) => uri)
      trial.ok('R-109', trial.greeting, new Set(uris).size === uris.length)
    },
  ],
  [
    'R-113',
    'DE',
    async (trial) => {
      const { uri, size } =
        trial.some('resources').find((one) => one.size !== undefined) ?? skip('no sizes')
      const reply = await trial.ask('resources/read', { uri })
      const [one] = (reply.result?.contents ?? []) as { text?: string; blob?: string }[]
      const bytes =
        one?.blob === undefined ? new TextEncoder().encode(one?.text).length : atob(one.blob).length
      trial.ok('R-113', reply, bytes === size, `${String(size)} bytes, the declared size`)
    },
  ],
  [
    'R-119 R-120',
    'DE',
    async (trial) => {
      need(trial, 'resources')
      const uri = unknownUri(trial)
      const reply = await trial.ask('resources/read', { uri })
      trial.refused('R-119', reply, trial.era === 'E' ? -32602 : -32002)
      trial.ok(
        'R-119',
        reply,
        (reply.error?.data as Params | undefined)?.uri === uri,
        'data.uri with the URI',
      )
      trial.ok('R-120', reply, !reply.result)
    },
  ],
  [
    'R-123 R-138 R-139 R-140 R-141',
    'DE',
    async (trial) => {
      const templates = trial.some('resourceTemplates')
      trial.first('resourceTemplates')
      for (const { uriTemplate, mimeType } of templates.slice(0, 6)) {
        const template = String(uriTemplate)
        const values: { [name: string]: string } = {}
        let complete_ = true
        for (const [, operator = '', list = ''] of template.matchAll(/\{([+#./;?&]?)([^{}]*)\}/g))
          for (const part of list.split(',')) {
            const name = part.replace(/(:\d+|\*)$/, '')
            const [value] = await complete(trial, { type: 'ref/resource', uri: template }, name)
            if (value !== undefined) values[name] = value
            else if (!/[;?&]/.test(operator)) complete_ = false
          }
        let uri = ''
        try {
          uri = expand(template, values)
        } catch {
          // not a template
        }
        const at = { row: trial.greeting.row, text: template }
        trial.ok(
          'R-138',
          at,
          uri &&
            /^(?:[^{}]|\{[+#./;?&]?[\w%.]+(?:\*|:\d+)?(?:,[\w%.]+(?:\*|:\d+)?)*\})*$/.test(
              template,
            ),
        )
        if (!complete_ || uri === '') continue
        const reply = await trial.ask('resources/read', { uri })
        const listed = trial.some('resources').some((one) => one.uri === uri)
        trial.gave(listed ? 'R-139 R-141' : 'R-139 R-141 R-123', reply)
        const contents = (reply.result?.contents ?? []) as Params[]
        if (mimeType && contents[0])
          trial.ok(
            'R-140',
            reply,
            contents[0].mimeType === mimeType,
            `mimeType ${String(mimeType)} of the template`,
          )
      }
    },
  ],
  [
    'R-258',
    'DE',
    async (trial) => {
      const base = String(trial.first('resources').uri)
      for (const path of [
        '/../../../../../../etc/passwd',
        '/%2e%2e/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
        '/..\\..\\..\\windows\\win.ini',
        '/%00',
      ])
        trial.refused(
          'R-258',
          await trial.ask('resources/read', { uri: base.replace(/\/?$/, path) }),
        )
    },
  ],
  [
    'R-090',
    'E',
    async (trial) => {
      const { uri } = trial.first('resources')
      trial.refused('R-090', await trial.ask('resources/read', { uri, inputResponses: 5 }), -32602)
    },
  ],
]
