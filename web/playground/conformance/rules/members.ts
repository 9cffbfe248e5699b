/** Rules for members of any result, and for errors. */

import { codeAllowed } from '../../protocol/errors.ts'
import { isObject, revisionOf } from '../peer.ts'
import {
  annotations,
  core,
  date,
  every,
  fits,
  icons,
  isString,
  key,
  mime,
  type Rule,
  stack,
  when,
} from './seen.ts'

export const memberRules: readonly Rule[] = [
  [
    'R-233 DE',
    annotations(
      'audience',
      (one) => Array.isArray(one) && one.every((role) => role === 'user' || role === 'assistant'),
    ),
  ],
  ['R-234 DE', annotations('priority', (one) => typeof one === 'number' && one >= 0 && one <= 1)],
  ['R-235 DE', annotations('lastModified', (one) => isString(one) && date.test(one))],
  ['R-237 DE', icons((one) => fits(one, 'Icon', 'E'))],
  ['R-238 DE', icons(({ src }) => /^(https|data):/.test(String(src)))],
  [
    'R-241 DE',
    every('_meta', (one) => isObject(one) && Object.keys(one).every((name) => key.test(name))),
  ],
  [
    'R-242 DE',
    every('_meta', (one) =>
      Object.keys(isObject(one) ? one : {}).every(
        (name) => !/^[\w-]+\.(mcp|modelcontextprotocol)[./]/.test(name) || core.test(name),
      ),
    ),
  ],
  ['R-246 DE', ({ error, era }) => error && codeAllowed(revisionOf[era], error.code)],
  ['R-249 E', ({ error }) => error && error.code !== -32002 && error.code !== -32042],
  [
    'R-250 E',
    ({ error }) =>
      error && !(error.code <= -32023 && error.code >= -32099 && error.code !== -32042),
  ],
  ['R-251 E', ({ error }) => error && !(error.code <= -32000 && error.code >= -32019)],
  [
    'R-252 E',
    ({ error }) => error && (codeAllowed('2026-07-28', error.code) || error.code >= -32099),
  ],
  [
    'R-254 DE',
    ({ error }) => error && !stack.test(`${error.message}\n${JSON.stringify(error.data)}`),
  ],
  ['R-263 DE', every('mimeType', (one) => isString(one) && mime.test(one))],
  ['R-296 E', ({ status, error }) => when(status && error?.code === -32022, () => status === 400)],
  ['R-298 E', ({ status, error }) => when(status && error?.code === -32021, () => status === 400)],
  [
    'R-299 E',
    ({ status, error, got }) =>
      when(status && error?.code === -32601 && got.asked, () => status === 404),
  ],
]
