/** Texts of the conformance page, in English. Names and texts of the fixtures are those of the suite. */
export const texts = {
  name: 'Conformance',
  description: 'The fixtures of MCP’s official conformance suite, served by a web page.',
  lead: 'This page serves the fixtures that the official conformance suite and other clients ask for, and shows what they request. Nothing here is yours.',
  served: 'Served',
  resources: 'Resources and templates',
  prompts: 'Prompts',
  tools: 'Tools',
}

export type ConformanceTexts = typeof texts
