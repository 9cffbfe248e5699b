/**
 * Building blocks for sources, the same that the built-in ones use: `pagemcp/sources`. They clean
 * labels, mark the origin of contents, rank completions, extract visible text and list tabs.
 * web/docs/sources.md describes how to write a source.
 */

export { rankCompletions } from './complete.ts'
export { metaLossy } from './contents.ts'
export { metaProvenance, type Provenance, plainLabel, withProvenance } from './provenance.ts'
export { visibleText } from './sources/page-content.ts'
export {
  type ListedTab,
  type TabList,
  type TabListOptions,
  type TabText,
  tabList,
  tabTitle,
  tabUrl,
} from './sources/tab-list.ts'
