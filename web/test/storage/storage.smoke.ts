// Web storage: what is served of it, and which changes are noticed.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { servePage } from './serving.ts'

const page = servePage()

inBrowsers(
  'only keys that are named are served, and secrets only by their exact name',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl'
      const entries = {
        theme: 'dark',
        other: 'no',
        'draft:1': '{"a":1}',
        'draft:2': '',
        'draft:token': 'T',
        'draft:jwt3': jwt,
        'draft:hidden': jwt,
        'auth-token': 'named',
        draft: 'no',
      }
      for (const [key, value] of Object.entries(entries)) localStorage.setItem(key, value)
      sessionStorage.setItem('step', '2')
      sessionStorage.setItem('theme', 'no')
      const source = storageKit.storage({
        local: ['theme', 'auth-token', 'missing', { prefix: 'draft:' }],
        session: ['step'],
      })
      const uris = await storageKit.list(source, 2)
      const reads: unknown[] = []
      for (const uri of uris) reads.push(await storageKit.read(source, uri))
      const refused: string[] = []
      for (const uri of [
        'local/other',
        'local/draft',
        'local/missing',
        'local/draft%3Atoken',
        'local/draft%3Ahidden',
        'session/theme',
        'local/',
        'cookie/x',
        'local/%ff',
        'local/theme/x',
      ]) {
        refused.push(await storageKit.tryRead(source, `storage:///${uri}`))
      }
      return { uris, reads, refused: [...new Set(refused)] }
    })
    assert.deepEqual(got, {
      uris: [
        'local/auth-token',
        'local/draft%3A1',
        'local/draft%3A2',
        'local/theme',
        'session/step',
      ].map((one) => `storage:///${one}`),
      reads: [
        ['text/plain', 'named'],
        ['application/json', '{"a":1}'],
        ['text/plain', ''],
        ['text/plain', 'dark'],
        ['application/json', '2'],
      ],
      refused: ['NotFoundError'],
    })
  },
)

inBrowsers('what this page writes is announced when it is done', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const { seen, heard, stop } = storageKit.changes({
      local: [{ prefix: 'a' }, 'session'],
      session: ['a'],
    })
    const steps: unknown[] = []
    const step = (act: () => void) => {
      act()
      steps.push(seen.splice(0).join(' '))
    }
    step(() => localStorage.setItem('a', '1'))
    step(() => localStorage.setItem('a', '2'))
    step(() => localStorage.setItem('a', '2'))
    step(() => localStorage.setItem('b', '1'))
    step(() => localStorage.setItem('a-token', '1'))
    step(() => localStorage.setItem('session', '1'))
    step(() => sessionStorage.setItem('a', '1'))
    step(() => localStorage.removeItem('a'))
    step(() => localStorage.setItem({ toString: () => 'ax' } as string, '1'))
    step(() => localStorage.clear())
    localStorage.a3 = 'assigned'
    steps.push((await heard('list')).join(' '))
    delete localStorage.a3
    steps.push((await heard('list')).join(' '))
    stop()
    step(() => localStorage.setItem('a', '1'))
    return steps
  })
  const a = 'storage:///local/a'
  assert.deepEqual(got, [
    `${a} list`,
    a,
    '',
    '',
    '',
    'storage:///local/session list',
    'storage:///session/a list',
    `${a} list`,
    `${a}x list`,
    'storage:///local/ax storage:///local/session list',
    `${a}3 list`,
    `${a}3 list`,
    '',
  ])
})

inBrowsers('what another tab writes is announced', async ({ open }) => {
  const tab = await open(page.url())
  await tab.evaluate(() => {
    localStorage.setItem('theme', 'light')
    Object.assign(globalThis, { heard: storageKit.changes({ local: ['theme', 'b'] }) })
  })
  const until = (...wanted: string[]) =>
    tab.evaluate(
      (wanted) =>
        (globalThis as never as { heard: ReturnType<typeof storageKit.changes> }).heard.heard(
          ...wanted,
        ),
      wanted,
    )
  const other = await open(page.url())
  const theme = 'storage:///local/theme'
  await other.evaluate(() => localStorage.setItem('theme', 'dark'))
  assert.deepEqual(await until(theme), [theme])
  await other.evaluate(() => {
    localStorage.b = '1'
  })
  assert.deepEqual(await until('list'), ['storage:///local/b', 'list'])
  await other.evaluate(() => localStorage.clear())
  assert.deepEqual(await until('storage:///local/b', theme, 'list'), [
    'storage:///local/b',
    theme,
    'list',
  ])
})

inBrowsers(
  'a page without storage serves none, and options that name nothing are refused',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const refused = [
        undefined,
        {},
        { local: 'x' },
        { local: [{ prefix: '' }] },
        { local: [1] },
      ].map((options) => {
        try {
          storageKit.storage(options as never)
          return 'taken'
        } catch (error) {
          return (error as Error).name
        }
      })
      const frame = document.createElement('iframe')
      frame.sandbox.add('allow-scripts')
      frame.src = '/sandbox.html'
      const answer = new Promise((resolve) =>
        addEventListener('message', ({ data }) => resolve(data)),
      )
      document.body.append(frame)
      return { refused: [...new Set(refused)], inSandbox: await answer }
    })
    assert.deepEqual(got, { refused: ['TypeError'], inSandbox: [[], 'NotFoundError'] })
  },
)
