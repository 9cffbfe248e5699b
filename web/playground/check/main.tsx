/** @jsxImportSource preact */
/** The entry of the page "Check a server". `?server=` is the address to begin with; nothing is sent before a click. */

import { render } from 'preact'
import { preferredLocale, setLocale, t, textsLoaded } from '../base/i18n.ts'
import { chosenLocale } from '../base/settings.ts'
import { followTheme } from '../base/theme.ts'
import { CheckPage, problem } from './page.tsx'

const root = document.getElementById('app')
if (root === null) throw new Error('index.html lacks #app')
const asked = new URLSearchParams(location.search)
const language = asked.get('lang') || chosenLocale.peek()
followTheme()
setLocale(preferredLocale(language ? [language] : navigator.languages))
textsLoaded().then(
  () => {
    document.title = `${t('check.title')} · PageMCP`
    render(<CheckPage server={asked.get('server') ?? ''} />, root)
  },
  (error: unknown) => {
    root.textContent = problem(error)
  },
)
