/** Bundled into pages: the polyfill of @mcp-b, which takes the input of tools as JSON text. */

import { initializeWebMCPPolyfill } from '@mcp-b/webmcp-polyfill'

initializeWebMCPPolyfill()
