/** The app of the documentation's first steps, as a newcomer makes it: served, paired, read and changed by an assistant. */

import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { askUntil } from '../e2e/again.ts'
import { pageUrl, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { readMarkdown } from './markdown.ts'

inBrowsers(
  'the app of the first page is served, read and changed by an assistant',
  async ({ open }) => {
    const text = await readFile(new URL('../../docs/start.md', import.meta.url), 'utf8')
    const { fences } = readMarkdown(text)
    const fence = (language: string) => fences.find((one) => one.language === language)?.text ?? ''
    const directory = await mkdtemp(join(tmpdir(), 'pagemcp-newcomer-'))
    await writeFile(join(directory, 'index.html'), fence('html'))
    const args = ['--dir', '.', '--web', '127.0.0.1:0']
    // The program of the clone, outside of it.
    const program = fileURLToPath(new URL('../../../bin/pagemcp', import.meta.url))
    const by = { command: program, args: [], cwd: directory, env: process.env }
    const gateway = await startGateway({ command: 'serve', args, by })
    try {
      // All that differs: the gateway has a port of its own here, and the title says when the page has joined.
      const code = fence('js').replace('connect()', `connect('${pageUrl(gateway)}')`)
      assert.notEqual(code, fence('js'))
      await writeFile(join(directory, 'app.js'), `${code}\ndocument.title = 'joined'\n`)
      const { start } = await gateway.fresh()
      const page = await open(start)
      await page.waitForFunction(() => document.title === 'joined', { polling: 100 })
      const listed = /"uri":"([^"]*notes:\/\/shopping)"/
      const list = await askUntil(
        'the shopping list among the resources',
        () => post(gateway, 'resources/list', {}),
        (answer) => listed.test(answer),
      )
      const uri = listed.exec(list)?.[1] ?? ''
      assert.match(await post(gateway, 'resources/read', { uri }), /2 apples/)

      const name = `${uri.split('+')[0]}.add`
      const answer = await post(gateway, 'tools/call', { name, arguments: { item: '1 pear' } })
      assert.match(answer, /Added\./)
      assert.match(await page.evaluate(() => document.body.innerText), /2 apples\s+1 pear/)
      assert.match(await post(gateway, 'resources/read', { uri }), /1 pear/)
    } finally {
      await gateway.close()
      await rm(directory, { recursive: true, force: true })
    }
  },
  { only: ['chromium'] },
)
