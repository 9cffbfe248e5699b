/** @jsxImportSource preact */
/** The timeline's toolbar: pause first, then view, filter and files. */

import { useComputed, useSignal } from '@preact/signals'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { Icon, IconButton, type IconName } from '../base/icon.tsx'
import { lazy } from '../base/lazy.tsx'
import { Menu } from '../base/menu.tsx'
import { count } from '../base/numbers.ts'
import { filter, layout, paused, show } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { RateLine } from './rate.tsx'
import { drawn, follow, query, shown, waiting } from './view.ts'

type View = typeof layout.value.timelineView

const views: Readonly<Record<View, IconName>> = {
  list: 'list',
  sequence: 'diagram',
}

const FilterExamples = lazy(async () => (await import('./timeline-parts.ts')).FilterExamples)

export function Toolbar() {
  return (
    <div class="tl-bar toolbar pane-bar">
      <button
        type="button"
        class="ghost tl-pause"
        aria-label={t('timeline.pause')}
        title={t('timeline.pause')}
        aria-pressed={paused.value}
        onClick={() => {
          paused.value = !paused.value
        }}
      >
        <Icon name={paused.value ? 'play' : 'pause'} />
        {waiting() > 0 && <b>+{count(waiting())}</b>}
      </button>
      <IconButton
        name="follow"
        label={t('timeline.follow')}
        aria-pressed={follow.value}
        onClick={() => {
          follow.value = !follow.value
        }}
      />
      <fieldset class="segments" aria-label={t('timeline.view')}>
        {Object.entries(views).map(([name, icon]) => (
          <button
            key={name}
            type="button"
            data-show={name}
            title={t(`timeline.${name as View}`)}
            aria-pressed={layout.value.timelineView === name}
            onClick={() => {
              show({ timelineView: name as View })
            }}
          >
            <Icon name={icon} /> <span class="tl-view">{t(`timeline.${name as View}`)}</span>
          </button>
        ))}
      </fieldset>
      <FilterField />
      <Count />
      <RateLine />
      <Menu label={t('timeline.more')} icon="more">
        {(close) => (
          <ul>
            <Item icon="import" name="import" act={() => actions.importFile()} close={close} />
            <Item icon="export" name="export" act={() => show({ dialog: 'share' })} close={close} />
            <Item icon="trash" name="clear" act={() => store.clear()} close={close} />
          </ul>
        )}
      </Menu>
    </div>
  )
}

function Item(props: {
  icon: IconName
  name: 'import' | 'export' | 'clear'
  act(): void
  close(): void
}) {
  return (
    <li>
      <button
        type="button"
        onClick={() => {
          props.close()
          props.act()
        }}
      >
        <Icon name={props.icon} /> {t(`timeline.${props.name}`)}
      </button>
    </li>
  )
}

/** The filter, its errors, and its syntax help. */
function FilterField() {
  const { problems } = query.value
  const [problem] = problems
  return (
    <div class="tl-filter toolbar wide">
      <input
        id="tl-filter"
        type="search"
        class="quiet-field"
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
      <IconButton name="filter" label={t('timeline.filterHelp')} popovertarget="tl-help" />
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

function FilterHelp() {
  const open = useSignal(false)
  return (
    <div
      id="tl-help"
      class="menu tl-help"
      popover="auto"
      onToggle={({ newState }) => {
        open.value = newState === 'open'
      }}
    >
      {open.value && <FilterExamples />}
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
