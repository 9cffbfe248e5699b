/** Tools of sites in Chromium, which has WebMCP behind a feature. */

import { chromium } from './chromium.ts'
import { toolStories } from './tool-stories.ts'

toolStories(chromium, false)
