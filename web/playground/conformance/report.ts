/** Exports a report: JUnit, JSON, and a badge. */

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
  const cases = report.outcomes.map(({ id, state, reason }) => {
    const [text = '', level = ''] = checked[id] ?? []
    const inner =
      state === 'failed'
        ? `<failure message="${xml(reason)}"/>`
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
      requirements: report.outcomes.map(({ id, state, reason }) => {
        const [text, level, page] = checked[id] ?? []
        return {
          id,
          text,
          level,
          specification: `${specification}${page}`,
          state,
          reason: reason || undefined,
        }
      }),
      notChecked: others,
    },
    null,
    2,
  )}\n`
}

/** The badge's text: how many of the applicable requirements hold. */
export function verdict(report: Report): string {
  const passed = count(report, 'passed')
  return `${passed}/${passed + count(report, 'failed')}`
}

const side = (text: string) => 12 + text.length * 6.6 // px, of 11 px Verdana

export function badge(report: Report): string {
  const label = 'MCP conformance'
  const value = report.stopped ? 'incomplete' : verdict(report)
  const [left, right] = [side(label), side(value)]
  const colour = report.stopped ? '#6b6b6b' : count(report, 'failed') > 0 ? '#b3261e' : '#1f6f34'
  const text = (x: number, what: string) =>
    `<text x="${x}" y="14" text-anchor="middle">${what}</text>`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${left + right}" height="20" role="img" aria-label="${label}: ${value}"><title>${label}: ${value}</title><clipPath id="r"><rect width="${left + right}" height="20" rx="4"/></clipPath><g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3a3a3a"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/></g><g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">${text(left / 2, label)}${text(left + right / 2, value)}</g></svg>\n`
}

/** Markdown that shows the badge, from the saved file. */
export const badgeMarkdown = (report: Report): string =>
  `![MCP conformance: ${report.stopped ? 'incomplete' : verdict(report)}](mcp-conformance.svg)`
