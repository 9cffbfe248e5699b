/** Exports a report: JUnit and JSON. */

import type { Outcome, Report } from './run.ts'

/** requirements.json. */
export interface Requirements {
  /** The address of the specification; pages are below it. */
  specification: string
  /** Text, level and page, by id. */
  checked: { readonly [id: string]: readonly [string, string, string] }
  /** Ids that no client can check, by the reason. */
  others: { readonly [reason: string]: string }
}

export const count = ({ outcomes }: Report, state: Outcome['state']): number =>
  outcomes.filter((one) => one.state === state).length

const escapes: { readonly [character: string]: string } = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
}

/** Escapes a text for XML 1.0, which cannot have most control characters. */
const xml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[<>&"]/g, (one) => escapes[one] as string)
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')

export function junit(report: Report, { checked }: Requirements): string {
  const cases = report.outcomes.map(({ id, state, reason, evidence }) => {
    const [text = '', level = ''] = checked[id] ?? []
    const [shown] = evidence
    const found = shown && `wanted ${shown.wanted}; received ${shown.received || 'nothing'}`
    const inner =
      state === 'failed'
        ? `<failure message="${xml(found ?? reason)}"/>`
        : state === 'none'
          ? `<skipped message="${xml(reason)}"/>`
          : ''
    return `  <testcase classname="MCP.${level.replace(' ', '_')}" name="${id} ${xml(text)}">${inner}</testcase>\n`
  })
  const name = xml(`MCP conformance of ${report.server}`)
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="${name}" tests="${report.outcomes.length}" failures="${count(report, 'failed')}" skipped="${count(report, 'none')}" time="${report.took / 1000}" timestamp="${new Date(report.started).toISOString()}">
${cases.join('')}</testsuite>
`
}

export function json(report: Report, { checked, specification, others }: Requirements): string {
  const { server, started, took, stopped } = report
  return `${JSON.stringify(
    {
      server,
      date: new Date(started).toISOString(),
      milliseconds: took,
      ...(stopped && { stopped }),
      passed: count(report, 'passed'),
      failed: count(report, 'failed'),
      notApplicable: count(report, 'none'),
      requirements: report.outcomes.map(({ id, state, reason, evidence }) => {
        const [text, level, page] = checked[id] ?? []
        return {
          id,
          text,
          level,
          specification: `${specification}${page}`,
          state,
          reason: reason || undefined,
          ...(state === 'failed' && { evidence }),
        }
      }),
      notChecked: others,
    },
    null,
    2,
  )}\n`
}
