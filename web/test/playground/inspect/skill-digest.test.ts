/** Files of skills are compared with what the list of skills says, as hosts must: SEP-2640. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import type { Skill } from '../../../playground/connections/catalogue.ts'
import { keepsPromise, promisedFile } from '../../../playground/inspect/skill-digest.ts'

const uri = 'skill://packing/SKILL.md'
const text = '# Packing – für Oslo'
const bytes = Buffer.from(text)
const digestOf = (data: Buffer) => `sha256:${createHash('sha256').update(data).digest('hex')}`
const digest = digestOf(bytes)
const read = (...contents: object[]) => ({ result: { contents } })

for (const [what, message, file, kept] of [
  ['the listed text', read({ uri, text }), { digest, size: bytes.length }, true],
  ['no size is listed', read({ uri, text }), { digest }, true],
  ['the listed bytes', read({ uri, blob: bytes.toString('base64') }), { digest }, true],
  ['another text', read({ uri, text: `${text}!` }), { digest }, false],
  ['another size', read({ uri, text }), { digest, size: text.length }, false],
  ['a digest of another form', read({ uri, text }), { digest: digest.toUpperCase() }, false],
  ['another hash', read({ uri, text }), { digest: 'md5:abc' }, false],
  ['no base64', read({ uri, blob: '%' }), { digest }, false],
  ['two contents', read({ uri, text }, { uri, text }), { digest }, false],
  ['no contents', read(), { digest: digestOf(Buffer.from('')) }, false],
] as const)
  test(`a file of a skill, ${what}: ${kept ? 'verified' : 'wrong'}`, async () => {
    assert.equal(await keepsPromise(message, { uri, ...file }), kept)
  })

test('the entry of a file is found in any skill, and malformed lists are passed over', () => {
  const file = { uri, digest }
  const skills = [
    { uri: 'skill://a/SKILL.md', resources: 'dynamic' },
    { uri: 'skill://b/SKILL.md' },
    { uri: 'skill://c/SKILL.md', resources: [null, 7, { uri }] },
    { uri, resources: [file] },
  ] as unknown as Skill[]
  assert.equal(promisedFile(skills, uri), file)
  assert.equal(promisedFile(skills, 'skill://a/SKILL.md'), undefined)
  assert.equal(promisedFile([], uri), undefined)
})
