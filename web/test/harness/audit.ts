/**
 * Asks the registry for known vulnerabilities of the npm packages that are shipped. `npm audit --omit=dev` finds
 * nothing: an app has no dependencies of ours, for what we use of others is bundled, and our package lists it under
 * devDependencies. So all packages are looked up, and those count whose notices are shipped. Run by `make audit`.
 */

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

/** What `npm audit --json` prints. */
interface Report {
  message?: string
  vulnerabilities?: Record<string, { severity: string; range: string }>
}

const shipped = new Set<string>()
for (const name of ['npm/pagemcp', 'playground', 'extension', 'extension-firefox']) {
  const notices = readFileSync(`../dist/${name}/THIRD-PARTY-NOTICES.txt`, 'utf8')
  for (const [, name = ''] of notices.matchAll(/^-{80}\n(\S+) /gm)) shipped.add(name)
}
const { stdout } = spawnSync('npm', ['audit', '--json'], { encoding: 'utf8' })
const report = JSON.parse(stdout) as Report
if (report.vulnerabilities === undefined) {
  throw new Error(`npm audit: ${report.message ?? 'no answer of the registry'}`)
}
let found = 0
for (const [name, { severity, range }] of Object.entries(report.vulnerabilities)) {
  const isShipped = shipped.has(name)
  if (isShipped) found++
  console.log(`${isShipped ? 'SHIPPED' : 'for development only'}: ${name} ${range}, ${severity}`)
}
console.log(`${shipped.size} parts are shipped, ${found} npm packages of them are vulnerable`)
process.exitCode = found > 0 ? 1 : 0
