/** Skills from the page of each demo through the gateway to a client that shares no code with either. */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { parse } from 'yaml'
import { inBrowsers } from '../harness/browsers.ts'
import { type Gateway, post, useGateway } from './gateway.ts'
import { joined } from './notes.ts'

const gateway = useGateway()

/** How long a page may take to offer its skill, or to be gone. */
const limit = 30_000 // ms

interface Entry {
  uri: string
  frontmatter: { name: string; description: string }
  resources: { uri: string; digest: string; size: number }[]
}

/** The official SDK's schemas of the extension, in the version that its server depends on. */
const { ListSkillsResultSchema, GetSkillResultSchema } = await import(
  new URL(
    '../../node_modules/@modelcontextprotocol/server/node_modules/@modelcontextprotocol/core/dist/ext/skills/index.mjs',
    import.meta.url,
  ).href
)

/** All pages of the list; without the extension, none. */
async function skills(of: Gateway, at = ''): Promise<Entry[]> {
  const { result, error } = JSON.parse(await post(of, 'skills/list', {}, at))
  if (error) {
    assert.equal(error.code, -32601)
    return []
  }
  ListSkillsResultSchema.parse(result)
  assert.equal(result.nextCursor, undefined)
  return result.skills
}

/** Lists again until `fits`. */
async function skillsWhen(of: Gateway, what: string, fits: (all: Entry[]) => boolean) {
  const deadline = AbortSignal.timeout(limit)
  for (;;) {
    const all = await skills(of)
    if (fits(all)) return all
    assert.ok(!deadline.aborted, `waited for ${what}: ${JSON.stringify(all.map(({ uri }) => uri))}`)
  }
}

async function read(of: Gateway, uri: string, at: string): Promise<Buffer> {
  const { result } = JSON.parse(await post(of, 'resources/read', { uri }, at))
  const [{ text, blob }] = result.contents
  return text === undefined ? Buffer.from(blob, 'base64') : Buffer.from(text)
}

async function verify(of: Gateway, { uri, frontmatter, resources }: Entry, at = '') {
  const got = JSON.parse(await post(of, 'skills/get', { uri }, at)).result
  GetSkillResultSchema.parse(got)
  assert.deepEqual(got.skill, { uri, frontmatter, resources })
  for (const file of resources) {
    const bytes = await read(of, file.uri, at)
    assert.equal(
      `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      file.digest,
      file.uri,
    )
    assert.equal(bytes.length, file.size, file.uri)
  }
  const [, yaml] = /^---\n(.*?)\n---\n/s.exec(String(await read(of, uri, at))) ?? []
  assert.deepEqual(parse(yaml as string), frontmatter)
}

inBrowsers('the skills of all demos are listed together, read and verified', async ({ open }) => {
  const { pages } = await gateway().fresh()
  const names: string[] = []
  for (const link of Object.values(pages)) names.push(await joined(await open(link)))
  const all = await skillsWhen(gateway(), 'skills of all demos', (listed) =>
    names.every((name) => listed.some(({ uri }) => uri.startsWith(`${name}+skill://`))),
  )
  assert.equal(new Set(all.map(({ uri }) => uri)).size, all.length)
  // Pages of the browser before may still be listed: they could be reloading.
  const ours = all.filter(({ uri }) => names.includes(uri.split('+')[0] as string))
  for (const entry of ours) await verify(gateway(), entry)
  const discovered = await post(gateway(), 'server/discover')
  assert.match(discovered, /"io\.modelcontextprotocol\/skills":\{\}/)

  const page = await open((await gateway().fresh()).pages.trip as string)
  const name = await joined(page)
  await skillsWhen(gateway(), 'the skill of another page', (listed) =>
    listed.some(({ uri }) => uri === `${name}+skill://plan-a-trip/SKILL.md`),
  )
  const [own] = await skills(gateway(), name)
  assert.equal(own?.uri, 'skill://plan-a-trip/SKILL.md')
  await verify(gateway(), own as Entry, name)
  await page.close()
  await skillsWhen(
    gateway(),
    'the end of a closed page',
    (listed) => !listed.some(({ uri }) => uri.startsWith(`${name}+`)),
  )
})
