/** features.md names tests that exist, for all features. */

import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const web = join(import.meta.dirname, '../..')

test('each feature has tests, which are in the files that features.md names', () => {
  const text = readFileSync(join(web, 'playground/features.md'), 'utf8')
  const rows = [...text.matchAll(/^\| (.+) \| (.+) \| (`.+) \|$/gm)]
  assert.ok(rows.length >= 48, `${rows.length} rows`)
  for (const [, feature, , tests = ''] of rows) {
    const files = [...tests.matchAll(/`([^`]+)`: (\*[^*]+\*(?:, \*[^*]+\*)*)(?:; |$)/g)]
    assert.equal(files.map(([all]) => all).join(''), tests, `${feature}: each file has its tests`)
    for (const [, file = '', names = ''] of files) {
      const path = join(web, 'test', file)
      assert.ok(existsSync(path), `${feature}: ${file}`)
      const source = readFileSync(path, 'utf8')
      for (const [, name = ''] of names.matchAll(/\*([^*]+)\*/g)) {
        const written = [`'${name}'`, `"${name}"`, `\`${name}\``]
        assert.ok(
          written.some((one) => source.includes(one)),
          `${feature}: ${file} has no test "${name}"`,
        )
      }
    }
  }
})
