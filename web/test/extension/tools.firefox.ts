/**
 * Tools of sites in Firefox ESR, by the polyfill: its own `document.modelContext`, behind `dom.modelcontext.enabled`, cannot
 * list tools yet.
 */

import { firefox } from './firefox.ts'
import { toolStories } from './tool-stories.ts'

toolStories(firefox, true)
