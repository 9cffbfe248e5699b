/** Asks for everything that an engine serves, and keeps every answer as it came. */

type Json = { [name: string]: never }

/** Sends a request; resolves to the answer, and to the bytes that it came in. */
export type Ask = (
  method: string,
  params: { readonly [name: string]: unknown },
) => Promise<{ answer: Json; text: string }>

interface Listed {
  resources?: { uri: string }[]
  resourceTemplates?: { uriTemplate: string }[]
  nextCursor?: string
}

/** Every byte that came: lists, contents, completions, prompts and tools. */
export async function crawl(ask: Ask): Promise<{ bytes: string; uris: string[] }> {
  const all: string[] = []
  const asked = async (method: string, params: Parameters<Ask>[1]) => {
    const { answer, text } = await ask(method, params)
    all.push(text)
    // Blobs as they are: Base64 would hide what is in them.
    for (const [, blob] of text.matchAll(/"blob":"([^"]*)"/g)) {
      all.push(Buffer.from(blob ?? '', 'base64').toString())
    }
    return answer.result as Listed | undefined
  }
  const listed = async (method: string) => {
    const pages: Listed[] = []
    let cursor: string | undefined
    do {
      const page: Listed | undefined = await asked(method, cursor === undefined ? {} : { cursor })
      if (page) pages.push(page)
      cursor = page?.nextCursor
    } while (cursor !== undefined)
    return pages
  }
  await asked('server/discover', {})
  const resources = (await listed('resources/list')).flatMap((page) => page.resources ?? [])
  const templates = (await listed('resources/templates/list')).flatMap(
    (page) => page.resourceTemplates ?? [],
  )
  await listed('prompts/list')
  await listed('tools/list')
  for (const { uriTemplate: uri } of templates) {
    for (const [, name = ''] of uri.matchAll(/\{[+#./;?&]?(\w+)\*?\}/g)) {
      const ref = { type: 'ref/resource', uri }
      for (const value of ['', 'C', 'CANARY', 'd', 's.']) {
        await asked('completion/complete', { ref, argument: { name, value } })
      }
    }
  }
  const uris = resources.map(({ uri }) => uri)
  for (const uri of uris) await asked('resources/read', { uri })
  return { bytes: all.join('\n'), uris }
}
