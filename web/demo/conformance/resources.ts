/** The resources of the suite, and one that changes by itself. */

import type { PageMcp } from 'pagemcp'
import { png } from './media.ts'

/** The interval of changes of `test://watched-resource`. */
const period = 3000 // ms

/** Registers them, and returns their URIs. */
export function serveResources(mcp: PageMcp): string[] {
  // First in the list, so that the suite reads its cache hints.
  mcp.resource(
    {
      uri: 'test://static-text',
      name: 'static-text',
      title: 'Static text',
      description: 'A text that never changes.',
      mimeType: 'text/plain',
      cache: { ttlMs: 60_000, scope: 'public' },
    },
    () => 'This is the content of the static text resource.',
  )
  mcp.resource(
    {
      uri: 'test://static-binary',
      name: 'static-binary',
      title: 'Static image',
      description: 'A picture of one point.',
      mimeType: 'image/png',
    },
    () => Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0)),
  )
  let count = 0
  mcp.resource(
    {
      uri: 'test://watched-resource',
      name: 'watched-resource',
      title: 'Watched resource',
      description: 'A number that grows every three seconds.',
      mimeType: 'text/plain',
    },
    () => `Watched resource, change ${count}.`,
  )
  setInterval(() => {
    count += 1
    mcp.changed('test://watched-resource')
  }, period)
  const ids = ['1', '12', '123', '124', '200', 'abc', 'abcd']
  mcp.template(
    {
      uriTemplate: 'test://template/{id}/data',
      name: 'template-data',
      title: 'Data by number',
      description: 'What there is under an id: any id will do.',
      mimeType: 'application/json',
      complete: { id: ids },
    },
    ({ id }) => ({ id, templateTest: true, data: `Data for ID: ${id}` }),
  )
  return [
    'test://static-text',
    'test://static-binary',
    'test://watched-resource',
    'test://template/{id}/data',
  ]
}
