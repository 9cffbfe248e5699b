import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.cacheKit

const page = serveKit('caches/page.ts', { '/data.json': '{"from":"the network"}' })

inBrowsers('named caches are listed, page by page, and nothing else', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    await cacheKit.fill('v1', {
      '/b.css': ['b{}', { headers: { 'content-type': 'text/css; charset=utf-8' } }],
      '/a?q=1&token=s3cret': ['a', { headers: { 'content-type': 'text/plain' } }],
      '/{x}|y.png': [new Uint8Array([1, 2]), { headers: { 'content-type': 'image/png' } }],
    })
    await cacheKit.fill('a name/ä', { '/x.json': ['{}'] })
    await cacheKit.fill('secret', { '/s': ['s'] })
    const source = cacheKit.cached({ caches: ['v1', 'missing', 'a name/ä'] })
    const { resources } = await source.list(undefined, { pageSize: 9, signal: cacheKit.never })
    return {
      pages: [
        await cacheKit.list(source, 1),
        await cacheKit.list(source, 2),
        await cacheKit.list(source),
      ],
      types: resources.map(({ mimeType }) => mimeType),
      templates: (await source.templates?.())?.map(({ uriTemplate }) => uriTemplate),
      names: await caches.keys(),
    }
  })
  const origin = new URL(page.url()).origin
  const expected = [
    'cache:///v1',
    `cache:///v1/${origin}/%7Bx%7D%7Cy.png`,
    `cache:///v1/${origin}/a?q=1&token=redacted`,
    `cache:///v1/${origin}/b.css`,
    'cache:///a%20name~1%C3%A4',
    `cache:///a%20name~1%C3%A4/${origin}/x.json`,
  ]
  for (const one of got.pages) assert.deepEqual(one.slice().sort(), expected.slice().sort())
  assert.deepEqual(got.pages[0], got.pages[2])
  assert.ok(got.types.includes('text/css'))
  assert.ok(got.templates?.includes('cache:///v1/{+request}'))
  assert.deepEqual(got.names, ['v1', 'a name/ä', 'secret'], 'none was made')
})

inBrowsers(
  'a response is its body, with its type, status and safe headers',
  async ({ open, name }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const json = {
        'content-type': 'application/json',
        'x-api-key': 'KEY',
        etag: '"visitor-7"',
        'last-modified': 'Sat, 21 Nov 2026 08:00:00 GMT',
      }
      const cache = await cacheKit.fill('v1', {
        '/a.json': ['{"a":1}', { status: 203, statusText: 'Partly', headers: json }],
        '/latin': [
          new Uint8Array([0xe4]),
          { headers: { 'content-type': 'text/plain; charset=iso-8859-1' } },
        ],
        '/wrong': [new Uint8Array([0xff]), { headers: { 'content-type': 'text/plain' } }],
        '/pic.png': [new Uint8Array([1, 2, 3])],
        '/a?token=one': ['first', { headers: { 'content-type': 'text/plain' } }],
        '/a?token=two': ['second', { headers: { 'content-type': 'text/plain' } }],
        '/{x}|y': ['odd', { headers: { 'content-type': 'text/plain' } }],
      })
      const vary = { 'content-type': 'text/plain', vary: 'accept-language' }
      for (const language of ['de', 'en']) {
        const request = new Request('/varied', { headers: { 'accept-language': language } })
        await cache.put(request, new Response(language, { headers: vary }))
      }
      const source = cacheKit.cached({ caches: ['v1'] })
      const read = async (path: string) => {
        const items = await source.read(`cache:///v1/${location.origin}${path}`, {
          signal: cacheKit.never,
        })
        return Promise.all(
          items.map(async ({ blob, text, mimeType, _meta }) => {
            const bytes =
              blob === undefined
                ? undefined
                : [...new Uint8Array(await (blob as Blob).arrayBuffer())]
            return { text, bytes, mimeType, _meta }
          }),
        )
      }
      const about = await source.read('cache:///v1', { signal: cacheKit.never })
      return {
        json: await read('/a.json'),
        latin: await read('/latin'),
        wrong: await read('/wrong'),
        pic: await read('/pic.png'),
        secrets: await read('/a?token=redacted'),
        odd: await read('/%7Bx%7D%7Cy'),
        varied: await read('/varied'),
        about: about[0]?.text ?? '',
      }
    })
    const [json] = got.json
    assert.deepEqual([json?.text, json?.mimeType], ['{"a":1}', 'application/json'])
    assert.deepEqual(json?._meta?.['io.github.pagemcp/response'], {
      status: 203,
      statusText: 'Partly',
      headers: {
        'content-type': 'application/json',
        'last-modified': 'Sat, 21 Nov 2026 08:00:00 GMT',
      },
    })
    assert.equal(Object(json?._meta?.['io.github.pagemcp/provenance']).kind, 'caches')
    assert.deepEqual([got.latin[0]?.text, got.latin[0]?.mimeType], ['ä', 'text/plain'])
    assert.deepEqual([got.wrong[0]?.text, got.wrong[0]?.bytes], [undefined, [0xff]])
    assert.deepEqual([got.pic[0]?.bytes, got.pic[0]?.mimeType], [[1, 2, 3], 'image/png'])
    assert.deepEqual(
      got.secrets.map(({ text }) => text),
      ['first', 'second'],
    )
    assert.deepEqual(
      got.odd.map(({ text }) => text),
      ['odd'],
    )
    // Chromium keeps one response for each URL, whatever Vary says.
    const varied = name === 'chromium' ? ['en'] : ['de', 'en']
    assert.deepEqual(
      got.varied.map(({ text }) => text),
      varied,
    )
    const { entries } = JSON.parse(got.about)
    assert.equal(entries.length, 7 + varied.length)
    assert.doesNotMatch(JSON.stringify(got), /KEY|visitor|token=(one|two)/)
    assert.equal(entries.find(({ url }: { url: string }) => url.endsWith('/a.json')).status, 203)
  },
)

inBrowsers('what is not there, not named, or not to be seen is refused', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async (other) => {
    const cache = await cacheKit.fill('v1', { '/a?token=one': ['first'], '/x': ['x'] })
    await cacheKit.fill('secret', { '/s': ['SECRET'] })
    const before = (await cacheKit.everything()).join()
    await cache.put('/opaque', await fetch(`${other}data.json`, { mode: 'no-cors' }))
    const source = cacheKit.cached({ caches: ['v1', 'missing'] })
    const { origin } = location
    const refuse = (uri: string) =>
      source.read(uri, { signal: cacheKit.never }).then(
        () => 'READ',
        ({ name }) => name,
      )
    const refused: string[] = []
    for (const uri of [
      'cache:///secret',
      `cache:///secret/${origin}/s`,
      'cache:///missing',
      'cache:///',
      'cache:///v1/',
      'cache:///v1x',
      `cache:///v1/${origin}/y`,
      `cache:///v1/../secret/${origin}/s`,
      `cache:///v1/${origin}/a?token=one`,
      `cache:///v1/${origin}/x#`,
      'cache:///v1/x',
      'cache:///v1/%',
    ])
      refused.push(await refuse(uri))
    const opaque = await source
      .read(`cache:///v1/${origin}/opaque`, { signal: cacheKit.never })
      .catch(({ name, message }) => `${name}: ${message}`)
    const [about] = await source.read('cache:///v1', { signal: cacheKit.never })
    const listed = await cacheKit.list(source)
    await cache.delete('/opaque')
    const options: string[] = []
    for (const names of [undefined, [], [1], 'v1']) {
      try {
        cacheKit.cached({ caches: names } as never)
        options.push('TAKEN')
      } catch (error) {
        options.push((error as Error).name)
      }
    }
    return {
      refused,
      opaque,
      about: about?.text,
      listed,
      options,
      same: before === (await cacheKit.everything()).join(),
    }
  }, page.other())
  assert.deepEqual(got.refused, Array(12).fill('NotFoundError'))
  assert.match(String(got.opaque), /^OpaqueResponseError: read cache:.*without CORS/)
  const { entries } = JSON.parse(got.about ?? '')
  const opaque = entries.find(({ url }: { url: string }) => url.endsWith('/opaque'))
  assert.equal(opaque?.opaque, true)
  assert.equal(opaque?.status, undefined)
  assert.ok(!got.listed.some((uri) => uri.endsWith('/opaque')))
  assert.deepEqual(got.options, Array(4).fill('TypeError'))
  assert.equal(got.same, true, 'reading changed nothing')
})

inBrowsers('what this page writes is announced, once it has succeeded', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const early = await cacheKit.fill('early', { '/e': ['e'] }) // opened before anybody looked
    const methods = [Cache.prototype.put, Cache.prototype.addAll, CacheStorage.prototype.open]
    const looks = methods.map((method) => [method.name, method.length])
    const end = new AbortController()
    const source = cacheKit.cached({ caches: ['v1', 'early'], poll: false, signal: end.signal })
    source.mounted?.(cacheKit.never)
    const wrapped = [Cache.prototype.put, Cache.prototype.addAll, CacheStorage.prototype.open]
    const { until, seen } = cacheKit.changes(source)
    const own = (path: string) => `cache:///v1/${location.origin}${path}`
    const cache = await caches.open('v1')
    const steps: string[][] = []
    await cache.put(new Request('/p?token=x'), new Response('p'))
    steps.push(await until(own('/p?token=redacted'), 'cache:///v1', 'list'))
    await cache.add('/data.json')
    steps.push(await until(own('/data.json'), 'list'))
    await cache.addAll(['/data.json?1', new URL('/data.json?2', location.href) as never])
    steps.push(await until(own('/data.json?1'), own('/data.json?2')))
    await cache.delete('/data.json')
    steps.push(await until(own('/data.json'), 'list'))
    await cache.delete('/data.json', { ignoreSearch: true })
    steps.push(await until('cache:///v1/*'))
    await cache.delete('/nothing')
    await cache.add('/missing').catch(() => {})
    await (await caches.open('other')).put('/o', new Response('o'))
    await early.put('/e2', new Response('e'))
    steps.push(await until(`cache:///early/${location.origin}/e2`))
    await caches.delete('v1')
    steps.push(await until('cache:///v1/*', 'cache:///v1', 'list'))
    end.abort()
    const same = methods.every(
      (one, i) =>
        one === [Cache.prototype.put, Cache.prototype.addAll, CacheStorage.prototype.open][i],
    )
    return {
      steps,
      seen,
      looks,
      wrapped: wrapped.map((method) => [method.name, method.length]),
      same,
    }
  })
  const own = (path: string) => `cache:///v1/${new URL(page.url()).origin}${path}`
  const early = `cache:///early/${new URL(page.url()).origin}`
  assert.deepEqual(got.steps, [
    ['cache:///v1', own('/p?token=redacted'), 'list'],
    ['cache:///v1', own('/data.json'), 'list'],
    ['cache:///v1', own('/data.json?1'), own('/data.json?2'), 'list'],
    ['cache:///v1', own('/data.json'), 'list'],
    ['cache:///v1', 'cache:///v1/*', 'list'],
    // Of which cache it was nobody knows: all that are named.
    ['cache:///early', `${early}/e2`, 'cache:///v1', own('/e2'), 'list'],
    ['cache:///v1', 'cache:///v1/*', 'list'],
  ])
  assert.deepEqual(got.seen, [])
  assert.deepEqual(got.wrapped, got.looks)
  assert.equal(got.same, true, 'the methods are as they were')
})

inBrowsers(
  'requests that come and go elsewhere are seen while somebody watches',
  async ({ open }) => {
    const tab = await open(page.url())
    const other = await open(page.url())
    await tab.bringToFront() // a hidden page looks less often
    await tab.evaluate(async () => {
      await cacheKit.fill('v1', { '/a': ['a'] })
      const watched = cacheKit.changes(cacheKit.cached({ caches: ['v1'], poll: 250 }))
      Object.assign(globalThis, { watched })
      await watched.until('cache:///v1/*', 'list') // it has looked
    })
    type Watched = { watched: { until(...wanted: string[]): Promise<string[]> } }
    const until = (...wanted: string[]) =>
      tab.evaluate((wanted) => (globalThis as never as Watched).watched.until(...wanted), wanted)
    const own = (path: string) => `cache:///v1/${new URL(page.url()).origin}${path}`
    await other.evaluate(() => cacheKit.fill('v1', { '/b': ['b'] }))
    await until(own('/b'), 'cache:///v1', 'list')
    await other.evaluate(async () => (await caches.open('v1')).delete('/a'))
    await until(own('/a'), 'cache:///v1', 'list')
    await other.evaluate(() => caches.delete('v1'))
    await until(own('/b'), 'cache:///v1', 'list')
  },
)

inBrowsers('requests are completed', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    await cacheKit.fill('v1', { '/a': ['a'], '/b': ['b'] })
    const source = cacheKit.cached({ caches: ['v1'] })
    const context = { arguments: {}, signal: cacheKit.never }
    const ref = { type: 'ref/resource', uri: 'cache:///v1/{+request}' } as const
    return source.complete?.(ref, { name: 'request', value: '/b' }, context)
  })
  assert.deepEqual(got, [`${new URL(page.url()).origin}/b`])
})
