/** @jsxImportSource preact */
/** Examples of the filter's syntax; each can be pressed. */

import { t } from '../base/i18n.ts'
import { filter } from '../base/state.ts'

const examples = [
  ['method:resources/* dir:in', 'timeline.helpMethod'],
  ['uri:notes* client:A', 'timeline.helpUri'],
  ['kind:error,result id:3', 'timeline.helpKind'],
  ['status:waiting', 'timeline.helpStatus'],
  ['code:-32602', 'timeline.helpCode'],
  ['>50ms size>1k', 'timeline.helpMeasure'],
  ['at:1.5s..3s', 'timeline.helpAt'],
  ['"two words"', 'timeline.helpText'],
  ['-method:ping', 'timeline.helpNot'],
] as const

export function FilterExamples() {
  return (
    <>
      <h3>{t('timeline.filterHelp')}</h3>
      <dl>
        {examples.map(([example, key]) => (
          <div key={example} class="toolbar">
            <dt>
              <button
                type="button"
                lang="en"
                translate={false}
                onClick={() => {
                  filter.value = example
                }}
              >
                {example}
              </button>
            </dt>
            <dd>{t(key)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
