/** @jsxImportSource preact */
/** The timeline's toolbar: pause first, then view, filter and files. */

import { useComputed } from '@preact/signals'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { dialog, filter, paused, timelineView } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { count } from './format.ts'
import { RateLine } from './rate.tsx'
import { drawn, follow, query, shown, waiting } from './view.ts'

const views = ['list', 'sequence', 'wire'] as const

export function Toolbar() {
  return (
    <div class="tl-bar">
      <button
        type="button"
        class="tl-pause"
        aria-pressed={paused.value}
        onClick={() => {
          paused.value = !paused.value
        }}
      >
        {t('timeline.pause')}
        {waiting.value > 0 && <b class="tl-waiting">+{count(waiting.value)}</b>}
      </button>
      <button
        type="button"
        aria-pressed={follow.value}
        onClick={() => {
          follow.value = !follow.value
        }}
      >
        {t('timeline.follow')}
      </button>
      <fieldset class="tl-views" aria-label={t('timeline.view')}>
        {views.map((name) => (
          <button
            key={name}
            type="button"
            data-show={name}
            aria-pressed={timelineView.value === name}
            onClick={() => {
              timelineView.value = name
            }}
          >
            {t(`timeline.${name}`)}
          </button>
        ))}
      </fieldset>
      <FilterField />
      <Count />
      <RateLine />
      <span class="tl-files">
        <button type="button" onClick={() => actions.importFile()}>
          {t('timeline.import')}
        </button>
        <button type="button" onClick={() => (dialog.value = 'share')}>
          {t('timeline.export')}
        </button>
        <button type="button" onClick={() => store.clear()}>
          {t('timeline.clear')}
        </button>
      </span>
    </div>
  )
}

/** The filter, its errors, and its syntax help. */
function FilterField() {
  const { problems } = query.value
  const [problem] = problems
  return (
    <div class="tl-filter">
      <input
        id="tl-filter"
        type="search"
        value={filter.value}
        placeholder={t('timeline.filterExample')}
        aria-label={t('timeline.filter')}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && 'tl-problem'}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onInput={(event) => {
          filter.value = event.currentTarget.value
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') filter.value = ''
        }}
      />
      <button type="button" popovertarget="tl-help" aria-label={t('timeline.filterHelp')}>
        ?
      </button>
      {problem && (
        <p id="tl-problem" class="tl-problem" role="status">
          <code>{filter.value.slice(problem.from, problem.to)}</code>{' '}
          {t('timeline.filterAt', { place: problem.from + 1 })} {t(problem.key, problem.params)}
        </p>
      )}
      <FilterHelp />
    </div>
  )
}

const examples = [
  ['method:resources/* dir:in', 'timeline.helpMethod'],
  ['uri:notes* client:A', 'timeline.helpUri'],
  ['kind:error,result id:3', 'timeline.helpKind'],
  ['status:waiting', 'timeline.helpStatus'],
  ['code:-32602', 'timeline.helpCode'],
  ['>50ms size>1k', 'timeline.helpMeasure'],
  ['"two words"', 'timeline.helpText'],
  ['-method:ping', 'timeline.helpNot'],
] as const

function FilterHelp() {
  return (
    <div id="tl-help" class="tl-help" popover="auto">
      <h3>{t('timeline.filterHelp')}</h3>
      <dl>
        {examples.map(([example, key]) => (
          <div key={example}>
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
    </div>
  )
}

/** The number of messages and of hidden ones, with a button to show all. */
function Count() {
  const hidden = useComputed(() => {
    drawn.value
    return shown.hidden
  })
  store.changed.value
  return (
    <span class="tl-count">
      {t('timeline.count', { count: store.length })}
      {hidden.value > 0 && (
        <>
          {' · '}
          <span>{t('timeline.hiddenByFilter', { count: hidden.value })}</span>{' '}
          <button
            type="button"
            onClick={() => {
              filter.value = ''
              actions.announce(t('timeline.filterCleared'))
            }}
          >
            {t('timeline.showAll')}
          </button>
        </>
      )}
    </span>
  )
}
