/** What `make release` has built, for the tests of `make release-check`. They need no network. */

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after } from 'node:test'
import { inflateRawSync } from 'node:zlib'

export const root = join(import.meta.dirname, '../../..')

/** The artifacts. */
export const dist = join(root, 'dist/release')

if (!existsSync(join(dist, 'SHA256SUMS'))) {
  throw new Error(`there is no release in ${dist}: run make release NAMES=trial`)
}

export const version: string = JSON.parse(
  readFileSync(join(root, 'web/package.json'), 'utf8'),
).version

/** The platforms, as files and as npm name them. */
export const platforms = [
  { name: 'darwin_amd64', npm: 'darwin-x64' },
  { name: 'darwin_arm64', npm: 'darwin-arm64' },
  { name: 'linux_amd64', npm: 'linux-x64' },
  { name: 'linux_arm64', npm: 'linux-arm64' },
  { name: 'windows_amd64', npm: 'win32-x64' },
  { name: 'windows_arm64', npm: 'win32-arm64' },
].map((platform) => ({
  ...platform,
  system: platform.npm.split('-')[0] ?? '',
  folder: `pagemcp_${version}_${platform.name}`,
  archive: `pagemcp_${version}_${platform.name}.${platform.name.startsWith('windows') ? 'zip' : 'tar.gz'}`,
  tarball: `npm/pagemcp-${platform.npm}-${version}.tgz`,
  program: platform.name.startsWith('windows') ? 'pagemcp.exe' : 'pagemcp',
}))

/** The platform of this machine. */
export function ownPlatform() {
  const own = platforms.find(({ npm }) => npm === `${process.platform}-${process.arch}`)
  if (!own) throw new Error('a release has no program for this machine')
  return own
}

export const artifact = (name: string): string => join(dist, name)

/** An empty directory, which goes away after the tests of the file. */
export function emptyDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'pagemcp-release-'))
  after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }))
  return directory
}

export interface Entry {
  path: string
  /** Permission bits. */
  mode: number
  body: Buffer
}

/** The files of a ZIP archive. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.12 */
export function readZip(file: string): Entry[] {
  const zip = readFileSync(file)
  const end = zip.lastIndexOf('PK\x05\x06')
  const entries: Entry[] = []
  let at = zip.readUInt32LE(end + 16)
  for (let count = zip.readUInt16LE(end + 10); count > 0; count--) {
    if (zip.readUInt32LE(at) !== 0x02014b50) throw new Error(`${file}: no entry at ${at}`)
    const [packed, size] = [zip.readUInt32LE(at + 20), zip.readUInt32LE(at + 24)]
    const [name, extra, comment] = [28, 30, 32].map((field) => zip.readUInt16LE(at + field))
    const local = zip.readUInt32LE(at + 42)
    const path = zip.toString('utf8', at + 46, at + 46 + (name ?? 0))
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28)
    const contents = zip.subarray(from, from + packed)
    const body = zip.readUInt16LE(at + 10) === 8 ? inflateRawSync(contents) : contents
    if (body.length !== size) throw new Error(`${file}: ${path} has ${body.length} bytes`)
    entries.push({ path, mode: (zip.readUInt32LE(at + 38) >>> 16) & 0o777, body })
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return entries
}

/** The files of a .tar.gz or .tgz archive, in ustar format. */
export function readTar(file: string): Entry[] {
  const tar = execFileSync('gzip', ['-dc', file], { maxBuffer: 1 << 28 })
  const entries: Entry[] = []
  for (let at = 0; tar[at]; ) {
    const field = (from: number, length: number) =>
      tar.toString('utf8', at + from, at + from + length).replace(/\0.*$/s, '')
    const [size, mode] = [Number.parseInt(field(124, 12), 8), Number.parseInt(field(100, 8), 8)]
    const prefix = field(345, 155)
    const path = prefix === '' ? field(0, 100) : `${prefix}/${field(0, 100)}`
    entries.push({ path, mode, body: tar.subarray(at + 512, at + 512 + size) })
    at += 512 + Math.ceil(size / 512) * 512
  }
  return entries
}

export function read(name: string): Entry[] {
  return name.endsWith('gz') ? readTar(artifact(name)) : readZip(artifact(name))
}

/** Unpacks an archive into a new directory. */
export function unpack(name: string): string {
  const directory = emptyDirectory()
  if (name.endsWith('gz')) {
    execFileSync('tar', ['-xzf', artifact(name), '-C', directory])
    return directory
  }
  for (const { path, mode, body } of readZip(artifact(name))) {
    const file = join(directory, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, body)
    chmodSync(file, mode)
  }
  return directory
}
