/**
 * The checks as data: transcripts, in sections of an archive like those of lessons.
 *
 *     = R-119 R-042@2026-07-28    begins a check of requirements; `@`: in this revision only
 *     @ 2026-07-28                the following lines belong to this revision only; @ * ends that
 *     ? resources !http $uri      conditions: a capability, `http`, `calls`, `modern`, a variable; `!` negates
 *     * prompts                   once for each item of a list of survey.ts, whose members become variables
 *     ! open B 2025-03-26         opens client B with a handshake in a revision; `bare`: without a handshake
 *     ! headers B {"Name":"x"}    opens client B, whose HTTP headers replace those of its messages
 *     -> {"method":"x"}           sends a request; ->B from client B; without a method a harmless one
 *     ->q "text"                  sends a text that is no request
 *     <- {"error":{"code":1}}     the response has these members (match.ts); with `method`: a notification comes
 *     <-                          there is no response
 *     <-~ "text"                  a message that contains a text comes
 *     <* {"if":…,"at":…}          holds for every message that the server sends (rules.ts)
 *
 * `"$name"` is the value of a variable, `${name}` its text within a string. `"$absent"` removes a member.
 */

import { readArchive } from '../lessons/archive.ts'

export interface Line {
  what: 'send' | 'quoted' | 'expect' | 'contains' | 'open' | 'headers' | 'need' | 'each' | 'rule'
  client: string
  /** JSON, words, or `''`. */
  text: string
  /** Its revision; `''`: all. */
  only: string
}

export interface Check {
  /** Requirements, with `@` and a revision or without. */
  ids: readonly string[]
  lines: readonly Line[]
}

const message = /^(->|<-)([A-Z]?)([q~]?)(?:\s+(.*))?$/

/** @throws Error that names the invalid line */
export function parseChecks(text: string): Check[] {
  const checks: { ids: string[]; lines: Line[] }[] = []
  for (const section of readArchive(text).files.values()) {
    let only = ''
    for (const line of section.split('\n')) {
      const [mark = '', ...words] = line.trim().split(' ')
      const rest = words.join(' ')
      const add = (what: Line['what'], text = rest, client = '') => {
        const check = checks.at(-1)
        if (!check) throw new Error(`before the first check: ${line}`)
        check.lines.push({ what, client, text, only })
      }
      if (mark === '' || mark === '#') continue
      else if (mark === '=') {
        checks.push({ ids: words, lines: [] })
        only = ''
      } else if (mark === '@') only = rest === '*' ? '' : rest
      else if (mark === '?') add('need')
      else if (mark === '*') add('each')
      else if (mark === '<*') add('rule')
      else if (mark === '!' && (words[0] === 'open' || words[0] === 'headers'))
        add(words[0], words.slice(2).join(' '), words[1])
      else {
        const [, arrow, client, form, content = ''] = message.exec(line.trim()) ?? []
        if (arrow === undefined) throw new Error(`not a line of a check: ${line}`)
        if (arrow === '->') add(form === 'q' ? 'quoted' : 'send', content, client)
        else add(form === '~' ? 'contains' : 'expect', content, client)
      }
    }
  }
  return checks
}
