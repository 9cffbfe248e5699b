/** Texts of the conformance page, in German. */

import type { ConformanceTexts } from './en.ts'

export const texts: ConformanceTexts = {
  name: 'Konformität',
  description: 'Die Prüfgegenstände der offiziellen Konformitätstests von MCP, auf einer Webseite.',
  lead: 'Diese Seite stellt bereit, wonach die offiziellen Konformitätstests und andere Clients fragen, und zeigt deren Anfragen. Persönliches ist nicht dabei.',
  served: 'Lesbar',
  resources: 'Ressourcen und Vorlagen',
  prompts: 'Prompts',
  tools: 'Tools',
}
