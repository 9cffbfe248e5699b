/** Packs a directory as Firefox installs it: a ZIP archive, without compression. */

import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as zlib from 'node:zlib'

// @types/node of Node 20 does not know it; tests run in Node 24.
const { crc32 } = zlib as unknown as { crc32(data: Buffer): number }

export async function xpi(directory: string): Promise<Buffer> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files: Buffer[] = []
  const list: Buffer[] = []
  let at = 0
  for (const entry of entries.filter((one) => one.isFile())) {
    const file = join(entry.parentPath, entry.name)
    const body = await readFile(file)
    const name = Buffer.from(file.slice(directory.length + 1))
    const head = Buffer.alloc(30) // of the file; the list repeats what follows the version
    head.writeUInt32LE(0x04034b50, 0)
    head.writeUInt16LE(20, 4) // the version of ZIP
    head.writeUInt16LE(0x21, 12) // 1980-01-01
    head.writeUInt32LE(crc32(body), 14)
    head.writeUInt32LE(body.length, 18)
    head.writeUInt32LE(body.length, 22)
    head.writeUInt16LE(name.length, 26)
    const listed = Buffer.alloc(46)
    listed.writeUInt32LE(0x02014b50, 0)
    head.copy(listed, 6, 4)
    listed.writeUInt32LE(at, 42)
    files.push(head, name, body)
    list.push(listed, name)
    at += head.length + name.length + body.length
  }
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(list.length / 2, 8)
  end.writeUInt16LE(list.length / 2, 10)
  end.writeUInt32LE(Buffer.concat(list).length, 12)
  end.writeUInt32LE(at, 16)
  return Buffer.concat([...files, ...list, end])
}
