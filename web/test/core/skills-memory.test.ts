// Skills that are registered one after the other, as by an app that renders again and again, leave nothing behind.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { offerSkill } from '../../src/skills.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

test('a skill that was rejected is not kept by those after it', async () => {
  const publish = () => ({ remove() {} })
  const { signal } = new AbortController()
  const offer = (name: string) =>
    offerSkill([{ name, description: 'A' }, 'Text'], publish, undefined, signal)
  let reason: WeakRef<object> | undefined
  await offer('not a name').catch((error: Error) => {
    reason = new WeakRef(error)
  })
  for (let n = 0; n < 3; n++) await offer(`skill-${n}`)
  for (let round = 0; round < 50 && reason?.deref(); round++) {
    await new Promise(setImmediate)
    gc()
  }
  assert.equal(reason?.deref(), undefined)
})
