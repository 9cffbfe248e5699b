/** The permission that the extension asks for. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as chromium from '../../extension/chromium/platform.ts'
import * as firefox from '../../extension/firefox/platform.ts'

test('the permission is for one origin, in Firefox for all ports of its host', () => {
  for (const [site, ofChromium, ofFirefox] of [
    ['https://app.example', 'https://app.example/*', 'https://app.example/*'],
    ['http://127.0.0.1:8809', 'http://127.0.0.1:8809/*', 'http://127.0.0.1/*'],
    ['https://app.example:8443', 'https://app.example:8443/*', 'https://app.example/*'],
    ['http://[::1]:8809', 'http://[::1]:8809/*', 'http://[::1]/*'],
  ] as const) {
    assert.deepEqual(chromium.permissionFor(site), { origins: [ofChromium] })
    assert.deepEqual(firefox.permissionFor(site), { origins: [ofFirefox] })
  }
})
