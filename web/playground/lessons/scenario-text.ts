/** Formats scenarios as text. */

import type { Revision } from '../protocol/revisions.ts'
import { writeArchive } from './archive.ts'
import { type Line, type Scenario, type Step, worldFiles } from './scenario.ts'

/** Formats a scenario for {@link parseScenario}. */
export function writeScenario(scenario: Scenario): string {
  const files = new Map<string, string>()
  const describe = (name: string, value: object) => {
    if (Object.keys(value).length > 0) files.set(`${name}.json`, JSON.stringify(value, null, 1))
  }
  describe('options', scenario.options)
  describe('info', scenario.info)
  for (const name of worldFiles) describe(name, scenario[name])
  files.set('transcript', scenario.steps.map(writeStep).join(''))
  for (const which of ['captions', 'notes'] as const) {
    for (const [language, texts] of scenario[which]) {
      files.set(
        `${which}.${language}`,
        [...texts].map(([key, text]) => `${key}: ${text}\n`).join(''),
      )
    }
  }
  return writeArchive({ comment: scenario.comment, files })
}

function writeStep({ caption, learner, speaker, marks, draft, lines, only }: Step): string {
  const limit = (revisions?: readonly Revision[]) => `@ ${revisions?.join(' ') ?? '*'}\n`
  let limits = only
  let text = only ? limit(only) : ''
  if (caption) text += `${speaker ? `: ${speaker}` : learner ? '?' : '='} ${caption}\n`
  if (marks) text += `* ${marks.join(' ')}\n`
  if (draft) text += `~ ${draft}\n`
  for (const line of lines) {
    if (line.only?.join() !== limits?.join()) {
      limits = line.only
      text += limit(limits)
    }
    text += `${writeLine(line)}\n`
  }
  return limits ? `${text}@ *\n` : text
}

function writeLine(line: Line): string {
  if (line.what === 'event') return `! ${line.verb} ${line.subject} ${line.value}`.trimEnd()
  const arrow = line.what === 'send' ? '->' : '<-'
  if (!line.exact && isLine(line)) return `${arrow}${line.client} ${line.text}`
  return `${arrow}${line.client}q ${JSON.stringify(line.text)}`
}

/** Whether a line needs no quotes: expected messages must be JSON. */
function isLine({ what, text }: Line & { text: string }): boolean {
  if (text === '' || text !== text.trim() || /[\n\r]/.test(text)) return false
  if (what === 'send') return true
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
