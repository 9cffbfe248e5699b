import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.fileKit

const page = serveKit('opfs/page.ts')

inBrowsers('named directories are listed, page by page, and nothing else', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    await fileKit.write({
      '/docs/b.md': '# b',
      '/docs/a/1.txt': 'one',
      '/docs/a/2.txt': 'two',
      '/docs/a-b.json': '{}',
      '/docs/empty/': '',
      '/more/x (1), "y".csv': 'a,b',
      '/more/100% ä#?.txt': '',
      '/secret/key.pem': 'KEY',
      '/docs2/no.txt': 'no',
      '/top.txt': 'top',
    })
    const source = fileKit.opfs({ paths: ['/more', '/docs/a', '/docs', '/missing', '/top.txt'] })
    const { resources } = await source.list(undefined, { pageSize: 3, signal: fileKit.never })
    return {
      pages: [
        await fileKit.list(source, 1),
        await fileKit.list(source, 2),
        await fileKit.list(source),
      ],
      first: resources,
      all: await fileKit.list(fileKit.opfs({ paths: ['/'] })),
    }
  })
  const expected = [
    'opfs:///docs',
    'opfs:///docs/a',
    'opfs:///docs/a/1.txt',
    'opfs:///docs/a/2.txt',
    'opfs:///docs/a-b.json',
    'opfs:///docs/b.md',
    'opfs:///docs/empty',
    'opfs:///more',
    'opfs:///more/100~2%20%C3%A4~9~8.txt',
    'opfs:///more/x%20(1),%20%22y%22.csv',
    'opfs:///top.txt',
  ]
  for (const one of got.pages) assert.deepEqual(one, expected)
  assert.equal(got.all.length, expected.length + 5) // and the root, /docs2, /secret and their files
  const [docs, a, one] = got.first
  assert.deepEqual(docs, { uri: 'opfs:///docs', name: '/docs', mimeType: 'inode/directory' })
  assert.equal(a?.name, '/docs/a')
  assert.equal(one?.mimeType, 'text/plain')
  assert.equal(one?.size, 3)
  assert.ok(Date.parse(one?.annotations?.lastModified ?? '') > 0)
})

inBrowsers(
  'a file is text if it is, and else a blob; a directory is a listing',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      await fileKit.write({
        '/docs/a.json': '{"a": "ä"}',
        '/docs/bom.txt': '\ufeffx',
        '/docs/wrong.txt': new Uint8Array([0xff, 0xfe]),
        '/docs/pic.png': new Uint8Array([1, 2, 3]),
        '/docs/unknown': 'text, but who knows',
        '/docs/sub/x.md': '# x',
      })
      const source = fileKit.opfs({ paths: ['/docs'] })
      const read = async (path: string) => {
        const [item] = await source.read(`opfs:///docs${path}`, { signal: fileKit.never })
        const { blob, ...rest } = item ?? { uri: '' }
        return { ...rest, bytes: blob && [...(blob as Uint8Array)] }
      }
      return {
        json: await read('/a.json'),
        bom: await read('/bom.txt'),
        wrong: await read('/wrong.txt'),
        pic: await read('/pic.png'),
        unknown: await read('/unknown'),
        encoded: await read('/%61.json'),
        docs: await read(''),
        sub: await read('/sub'),
      }
    })
    assert.equal(got.json.text, '{"a": "ä"}')
    assert.equal(got.json.mimeType, 'application/json')
    const file = got.json._meta?.['io.github.pagemcp/file'] as {
      size: number
      lastModified: string
    }
    assert.equal(file.size, 11)
    assert.ok(Date.parse(file.lastModified) > 0)
    const provenance = got.json._meta?.['io.github.pagemcp/provenance'] as { kind: string }
    assert.equal(provenance.kind, 'opfs')
    assert.equal(got.bom.text, '\ufeffx')
    assert.deepEqual([got.wrong.text, got.wrong.bytes], [undefined, [0xff, 0xfe]])
    assert.deepEqual([got.pic.mimeType, got.pic.bytes], ['image/png', [1, 2, 3]])
    assert.equal(got.unknown.mimeType, 'application/octet-stream')
    assert.equal(got.unknown.text, undefined)
    assert.equal(got.encoded.text, got.json.text, 'however it is encoded')
    assert.equal(got.docs.mimeType, 'inode/directory')
    const { entries, more } = JSON.parse(got.docs.text ?? '')
    assert.equal(more, undefined)
    assert.deepEqual(
      entries.map((one: { name: string; kind: string; size?: number }) => [
        one.name,
        one.kind,
        one.size,
      ]),
      [
        ['a.json', 'file', 11],
        ['bom.txt', 'file', 4],
        ['pic.png', 'file', 3],
        ['sub', 'directory', undefined],
        ['unknown', 'file', 19],
        ['wrong.txt', 'file', 2],
      ],
    )
    assert.equal(entries[3].uri, 'opfs:///docs/sub')
    assert.deepEqual(
      JSON.parse(got.sub.text ?? '').entries.map(({ name }: { name: string }) => name),
      ['x.md'],
    )
  },
)

inBrowsers('nothing outside is read, however it is written; nothing is made', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    await fileKit.write({ '/docs/a.txt': 'a', '/secret/key.pem': 'KEY', '/docs2/x.txt': 'x' })
    const before = await fileKit.everything()
    const source = fileKit.opfs({ paths: ['/docs', '/missing/deep'] })
    const wrong = [
      'opfs:///',
      'opfs:///secret',
      'opfs:///secret/key.pem',
      'opfs:///docs2/x.txt',
      'opfs:///docs/../secret/key.pem',
      'opfs:///docs/%2e%2e/secret/key.pem',
      'opfs:///docs/%2E./secret/key.pem',
      'opfs:///docs/..%2fsecret/key.pem',
      'opfs:///docs/..%5csecret',
      'opfs:///docs/%252e%252e/secret/key.pem',
      'opfs:///docs//a.txt',
      'opfs:///docs/',
      'opfs:///docs/a.txt/',
      'opfs:///docs/a.txt%00',
      'opfs:///docs/%00',
      'opfs:///docs/.',
      'opfs:///docs/./a.txt',
      'opfs:///docs/a.txt/b',
      'opfs:///docs/new.txt',
      'opfs:///docs/new/x.txt',
      'opfs:///missing/deep',
      'opfs:///missing/deep/x',
      'opfs:///docs/a.txt?x',
      'opfs:///docs/a.txt#x',
      'opfs:///docs/%ff',
      'opfs:///docs/%',
      'opfs:/docs/a.txt',
      'file:///docs/a.txt',
      '',
    ]
    const refused: string[] = []
    for (const uri of wrong) {
      const name = await source.read(uri, { signal: fileKit.never }).then(
        () => 'READ',
        (e) => e.name,
      )
      if (name !== 'NotFoundError') refused.push(`${uri}: ${name}`)
    }
    const cursors: string[] = []
    for (const cursor of ['x', 'opfs:///secret', 'opfs:///docs/../secret']) {
      const options = { pageSize: 9, signal: fileKit.never }
      cursors.push(
        await source.list(cursor, options).then(
          () => 'LISTED',
          (e) => e.name,
        ),
      )
    }
    await fileKit.list(source, 1)
    await source.read('opfs:///docs', { signal: fileKit.never })
    await source.read('opfs:///docs/a.txt', { signal: fileKit.never })
    const options: string[] = []
    for (const paths of [
      undefined,
      [],
      [''],
      ['docs'],
      ['/docs/'],
      ['//'],
      ['/a/../b'],
      [1],
      '/docs',
    ]) {
      try {
        fileKit.opfs({ paths } as never)
        options.push('TAKEN')
      } catch (error) {
        options.push((error as Error).name)
      }
    }
    const same = (await fileKit.everything()).join() === before.join()
    return { refused, cursors, options, same }
  })
  assert.deepEqual(got.refused, [])
  assert.deepEqual(got.cursors, Array(3).fill('BadCursorError'))
  assert.deepEqual(got.options, Array(9).fill('TypeError'))
  assert.equal(got.same, true)
})

inBrowsers('a listing goes on where it was, though files have gone', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    for (let i = 0; i < 30; i++)
      await fileKit.write({ [`/docs/d${i % 3}/${String(i).padStart(2, '0')}.txt`]: '' })
    const source = fileKit.opfs({ paths: ['/docs'] })
    const options = { pageSize: 10, signal: fileKit.never }
    const first = await source.list(undefined, options)
    await fileKit.remove('/docs/d0')
    const second = await source.list(first.nextCursor, options)
    return { cursor: first.nextCursor, second: second.resources.map(({ uri }) => uri) }
  })
  assert.equal(got.cursor, 'opfs:///docs/d0/21.txt')
  assert.deepEqual(got.second.slice(0, 2), ['opfs:///docs/d1', 'opfs:///docs/d1/01.txt'])
})

inBrowsers('paths are completed, directories with a slash', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    await fileKit.write({
      '/docs/a.txt': '',
      '/docs/ab.txt': '',
      '/docs/sub/x.md': '',
      '/secret/s': '',
    })
    const source = fileKit.opfs({ paths: ['/docs'] })
    const context = { arguments: {}, signal: fileKit.never }
    const ref = { type: 'ref/resource', uri: 'opfs:///{+path}' } as const
    const complete = (value: string) => source.complete?.(ref, { name: 'path', value }, context)
    return [
      await complete(''),
      await complete('d'),
      await complete('docs/'),
      await complete('docs/ab'),
      await complete('docs/sub/'),
      await complete('secret/'),
      await complete('../'),
      await complete('docs/../secret/'),
    ]
  })
  assert.deepEqual(got, [
    ['docs'],
    ['docs'],
    ['docs/a.txt', 'docs/ab.txt', 'docs/sub/'],
    ['docs/ab.txt'],
    ['docs/sub/x.md'],
    [],
    [],
    [],
  ])
})

inBrowsers('equal paths, and only they, have equal URIs', async ({ open }) => {
  const tab = await open(page.url())
  const wrong = await tab.evaluate(() => {
    const names = [
      'a',
      'a/b',
      'a%2Fb',
      '%',
      '%25',
      'a b',
      'a+b',
      'a%20b',
      'ä',
      'a\u0308',
      '~x',
      "!'()*",
      '[x]',
      '?',
      '#',
      ';,=&$@:',
      '😀',
      '.a',
      '...',
      'a.',
      '\u202e',
    ]
    const paths = names.map((name) => name.split('/'))
    const uris = paths.map(fileKit.uriOf)
    const wrong: string[] = []
    if (new Set(uris).size !== uris.length) wrong.push('two paths have one URI')
    for (const [i, uri] of uris.entries()) {
      if (!/^opfs:\/\/\/[\w.~!$&'()*+,;=:@/%-]+$/.test(uri)) wrong.push(`${uri} is no URI`)
      if (fileKit.pathOf(uri)?.join('|') !== paths[i]?.join('|'))
        wrong.push(`${uri} does not come back`)
    }
    return wrong
  })
  assert.deepEqual(wrong, [])
})
