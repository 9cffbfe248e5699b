/** Rules for results: completion, lists, contents, prompts, and cache hints. */

import type { Params } from '../../protocol/revisions.ts'
import { isObject } from '../peer.ts'
import {
  all,
  base64,
  blocks,
  cached,
  contents,
  fits,
  hints,
  isString,
  items,
  listed,
  lists,
  members,
  mime,
  needsInput,
  type Rule,
  uri,
  when,
} from './seen.ts'

export const resultRules: readonly Rule[] = [
  [
    'R-180 DE',
    ({ method, result, era }) =>
      when(
        method === 'completion/complete' && result,
        () => fits(result, 'CompleteResult', era) && isObject(result?.completion),
      ),
  ],
  [
    'R-184 DE',
    ({ result }) =>
      when(isObject(result?.completion), () => members(result, 'values').flat().length <= 100),
  ],
  [
    'R-192 E',
    ({ method, result }) =>
      when(
        method === 'completion/complete' && result,
        () => result?.resultType === 'complete' && !hints(result),
      ),
  ],
  ...lists.flatMap(([method, member, type]): Rule[] => {
    const ids = {
      Resource: ['R-106', 'R-108'],
      Template: ['R-136', 'R-137'],
      Prompt: ['R-194', 'R-196'],
      Tool: ['R-363', 'R-363'],
    }[type] as string[]
    return [
      [
        `${ids[0]} DE`,
        (seen) =>
          when(seen.method === method && seen.result, () => Array.isArray(seen.result?.[member])),
      ],
      [
        `${ids[1]} DE`,
        (seen) =>
          seen.method === method
            ? all(items(seen.result, member), (one) => fits(one, type, seen.era))
            : undefined,
      ],
      [
        'R-110 DE',
        (seen) =>
          seen.method === method
            ? all(items(seen.result, member), ({ name }) => isString(name) && name.trim())
            : undefined,
      ],
    ]
  }),
  [
    'R-197 DE',
    ({ method, result, era }) =>
      method === 'prompts/list'
        ? all(
            members(result, 'arguments'),
            (some) => Array.isArray(some) && some.every((one) => fits(one, 'PromptArgument', era)),
          )
        : undefined,
  ],
  [
    'R-128 DE',
    ({ result }) => all(members(result, 'uri'), (one) => isString(one) && uri.test(one)),
  ],
  [
    'R-114 DE',
    (seen) =>
      when(seen.method === 'resources/read' && seen.result && !needsInput(seen), () =>
        contents(seen)?.every((one) => isString(one.uri) && 'text' in one !== 'blob' in one),
      ),
  ],
  [
    'R-116 DE',
    (seen) =>
      all(
        contents(seen)?.filter((one) => 'text' in one),
        ({ text }) => isString(text) && !/\p{Surrogate}/u.test(text),
      ),
  ],
  [
    'R-117 R-267 DE',
    (seen) =>
      all(
        contents(seen)?.filter((one) => 'blob' in one),
        ({ blob }) => isString(blob) && base64.test(blob),
      ),
  ],
  [
    'R-198 DE',
    ({ method, result, era }) =>
      when(method === 'prompts/get' && result && result.resultType !== 'input_required', () =>
        fits(result, 'PromptResult', era),
      ),
  ],
  [
    'R-199 DE',
    (seen) =>
      all(
        blocks(seen),
        ({ role, content }) => /^(user|assistant)$/.test(String(role)) && isObject(content),
      ),
  ],
  [
    'R-200 DE',
    (seen) =>
      all(blocks(seen), ({ content }) =>
        /^(text|image|audio|resource|resource_link)$/.test(String((content as Params)?.type)),
      ),
  ],
  [
    'R-201 DE',
    (seen) =>
      all(
        blocks(seen)
          ?.map(({ content }) => content as Params)
          .filter((one) => /^(image|audio)$/.test(String(one?.type))),
        ({ data, mimeType }) => isString(data) && base64.test(data) && mime.test(String(mimeType)),
      ),
  ],
  [
    'R-202 DE',
    (seen) =>
      all(
        blocks(seen)
          ?.map(({ content }) => content as Params)
          .filter((one) => one?.type === 'resource'),
        ({ resource: one }) =>
          isObject(one) &&
          uri.test(String(one.uri)) &&
          mime.test(String(one.mimeType)) &&
          'text' in one !== 'blob' in one,
      ),
  ],
  [
    'R-211 E',
    ({ method, result }) => when(method === 'prompts/get' && result, () => !hints(result ?? {})),
  ],
  [
    'R-214 DE',
    ({ method, result }) =>
      when(listed.test(method) && result?.nextCursor != null, () => isString(result?.nextCursor)),
  ],
  [
    'R-215 DE',
    ({ method, result }) =>
      when(
        listed.test(method) && result,
        () => !('nextCursor' in (result ?? {})) || result?.nextCursor,
      ),
  ],
  [
    'R-221 E',
    (seen) =>
      when(
        cached.test(seen.method) && seen.result && !needsInput(seen),
        () => 'ttlMs' in (seen.result ?? {}) && 'cacheScope' in (seen.result ?? {}),
      ),
  ],
  [
    'R-222 E',
    ({ result }) =>
      when(
        result && 'ttlMs' in result,
        () => Number.isInteger(result?.ttlMs) && Number(result?.ttlMs) >= 0,
      ),
  ],
  [
    'R-223 E',
    ({ result }) =>
      when(result && 'cacheScope' in result, () =>
        /^(public|private)$/.test(String(result?.cacheScope)),
      ),
  ],
  [
    'R-224 E',
    ({ method, result }) =>
      when(result && method && !cached.test(method), () => !hints(result ?? {})),
  ],
  [
    'R-225 E',
    ({ method, result, peer }) =>
      when(listed.test(method) && result, () =>
        peer.asked.every(
          (one) =>
            one.era !== 'E' ||
            one.method !== method ||
            !isObject(one.reply?.message.result) ||
            one.reply.message.result.cacheScope === result?.cacheScope,
        ),
      ),
  ],
]
