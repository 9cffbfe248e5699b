/** The story of clients/stories.ts with go-sdk's client: server/interop/gosdk_test.go runs it, about the page of its environment. */

import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Address, Command, Subject } from '../clients/stories.ts'

/** Over HTTP. Rejects with the test's output if the client does not see what it should. */
export async function goOverHttp(at: Address, subject: Subject): Promise<void> {
  await tell({ ...at }, subject)
}

/** Over `pagemcp stdio`. */
export async function goOverStdio({ command, args }: Command, subject: Subject): Promise<void> {
  await tell({ command: [command, ...args] }, subject)
}

async function tell(at: object, subject: Subject): Promise<void> {
  const page = createServer(async (request, response) => {
    await subject.write(await text(request))
    response.end()
  })
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = page.address() as AddressInfo
    const { uri, missing } = subject
    const story = { ...at, uri, missing, text: subject.text, page: `http://127.0.0.1:${port}` }
    await promisify(execFile)('go', ['test', '-count=1', '-run=^TestGoSDKSeesPage$', '.'], {
      cwd: join(import.meta.dirname, '..', '..', '..', 'server', 'interop'), // a module of its own
      env: { ...process.env, PAGEMCP_STORY: JSON.stringify(story) },
    }).catch(({ stdout, stderr }) => {
      throw new Error(`${stdout}${stderr}`)
    })
    subject.text = '3 bottles'
  } finally {
    page.close()
  }
}
