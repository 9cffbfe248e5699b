/**
 * Changes of the sources that no test in Node notices: `make mutants-web SOURCES=playground/compose
 * TESTS="'test/playground/compose/*.test.ts'" EVERY=10` tries every tenth. cmd/internal/mutants does it for Go.
 */

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const [sources = 'src', tests = 'test/core/*.test.ts', every = '40'] = process.argv.slice(2)

/** What becomes what, in code as biome writes it. */
const changes: readonly (readonly [RegExp, string])[] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ < /g, ' <= '],
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ \+ 1\b/g, ' - 1'],
  [/ - 1\b/g, ' + 1'],
  [/\breturn (?=[a-z]+\()/g, 'return void '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
]

const stopped = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => stopped.abort(new Error(`stopped by ${signal}`)))

async function passes(): Promise<boolean> {
  const run = spawn(process.execPath, ['--test', '--test-timeout=60000', tests], {
    stdio: 'ignore',
  })
  const kill = () => run.kill()
  stopped.signal.addEventListener('abort', kill)
  const [code] = await once(run, 'exit')
  stopped.signal.removeEventListener('abort', kill)
  stopped.signal.throwIfAborted()
  return code === 0
}

if (!(await passes())) throw new Error(`${tests} fail without a change`)
let seen = 0
let tried = 0
let survived = 0
for (const name of readdirSync(sources).sort()) {
  if (!/(?<!\.texts)\.tsx?$/.test(name)) continue
  const file = join(sources, name)
  const text = readFileSync(file, 'utf8')
  for (const [what, other] of changes) {
    for (const { index, 0: found } of text.matchAll(what)) {
      const line = text.slice(text.lastIndexOf('\n', index) + 1, text.indexOf('\n', index))
      if (/^\s*(\*|\/\/|\/\*|import |export \* |type )/.test(line)) continue
      if (seen++ % Number(every) !== 0) continue
      tried++
      writeFileSync(file, text.slice(0, index) + other + text.slice(index + found.length))
      try {
        if (!(await passes())) continue
      } finally {
        writeFileSync(file, text)
      }
      survived++
      console.log(
        `${file}:${text.slice(0, index).split('\n').length}: ${found} -> ${other}: ${line.trim()}`,
      )
    }
  }
}
console.log(`${tried - survived} of ${tried} are noticed`)
