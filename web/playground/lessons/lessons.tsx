/** @jsxImportSource preact */
/** The list of lessons and presentations, progress, and scenario files. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { Icon, IconButton } from '../base/icon.tsx'
import { InlineCode } from '../base/inline-code.tsx'
import { settings } from '../base/settings.ts'
import { show } from '../base/state.ts'
import { RunningChat } from './assistant.tsx'
import { captionIn } from './caption.ts'
import { lessonIds, loadScenario, openScenario, showIds } from './library.ts'
import { chatting, playerOf, running, startScenario } from './running.ts'
import type { Scenario } from './scenario.ts'

const all = [...lessonIds, ...showIds]

/** @param props.close - called when a lesson starts in the composer */
export function Lessons(props: { close?(): void }) {
  return chatting.value ? <RunningChat /> : <Library {...props} />
}

function Library({ close }: { close?(): void }) {
  const scenarios = useSignal<ReadonlyMap<string, Scenario>>(new Map())
  const failure = useSignal('')
  useEffect(() => {
    Promise.all(all.map(loadScenario)).then(
      (loaded) => {
        scenarios.value = new Map(loaded.map((scenario) => [scenario.id, scenario]))
      },
      (error: unknown) => {
        failure.value = String(error instanceof Error ? error.message : error)
      },
    )
  }, [scenarios, failure])
  if (failure.value) return <p role="alert">{t('base.failedToLoad', { reason: failure.value })}</p>
  if (scenarios.value.size === 0) return <p class="loading">{t('base.loading')}</p>
  const of = (ids: readonly string[]) => ids.flatMap((id) => scenarios.value.get(id) ?? [])
  const count = lessonIds.filter((id) => settings.value.done.includes(id)).length
  return (
    <div class="lessons fill">
      <h2>{t('lessons.learn')}</h2>
      <p class="quiet">{t('lessons.progress', { count, of: lessonIds.length })}</p>
      <progress
        max={lessonIds.length}
        value={count}
        aria-label={t('lessons.progress', { count, of: lessonIds.length })}
      />
      <ol>
        {of(lessonIds).map((scenario) => (
          <Lesson key={scenario.id} scenario={scenario} close={close} />
        ))}
      </ol>
      <h2>{t('lessons.show')}</h2>
      <ul>
        {of(showIds).map((scenario) => (
          <Show key={scenario.id} scenario={scenario} />
        ))}
      </ul>
      <h2>{t('lessons.own')}</h2>
      <Own />
    </div>
  )
}

function Lesson({ scenario, close }: { scenario: Scenario; close?(): void }) {
  const { id, options } = scenario
  const isDone = settings.value.done.includes(id)
  const isRunning = playerOf(running.value)?.scenario.id === id
  return (
    <li class="list-row" aria-current={isRunning ? 'step' : undefined}>
      <button
        type="button"
        class="row-open plain"
        data-lesson={id}
        onClick={() => {
          startScenario(scenario, { learner: true })
          if (!chatting.peek()) close?.()
        }}
      >
        <strong>{captionIn(scenario, 'title')}</strong>
        <span>
          <InlineCode text={captionIn(scenario, 'about')} />
        </span>
        <span class="quiet">
          {t('lessons.minutes', { count: Number(options.minutes ?? 2) })}
          {isDone ? (
            <span class="chip" data-is="good">
              <Icon name="check" /> {t('lessons.done')}
            </span>
          ) : null}
        </span>
      </button>
      <span class="row-acts">
        <PresentButton scenario={scenario} />
      </span>
    </li>
  )
}

function Show({ scenario }: { scenario: Scenario }) {
  return (
    <li class="list-row">
      <div class="row-open">
        <strong>{captionIn(scenario, 'title')}</strong>
        <span>
          <InlineCode text={captionIn(scenario, 'about')} />
        </span>
      </div>
      <span class="row-acts">
        <PresentButton scenario={scenario} />
      </span>
    </li>
  )
}

function PresentButton({ scenario }: { scenario: Scenario }) {
  const title = captionIn(scenario, 'title')
  return (
    <IconButton
      name="play"
      label={t('lessons.presentThis', { title })}
      data-present={scenario.id}
      onClick={() => {
        startScenario(scenario, { learner: false })
        show({ presenting: true })
      }}
    />
  )
}

/** Scenario files of the user. */
function Own() {
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      startScenario(await openScenario(file), { learner: false })
      show({ presenting: true })
    } catch (error) {
      actions.announce(t('lessons.notOpened', { reason: (error as Error).message }))
    }
  }
  return (
    <div>
      <label class="field">
        {t('lessons.open')}
        <input
          type="file"
          accept=".txtar,text/plain"
          onChange={({ currentTarget }) => {
            open(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
      </label>
    </div>
  )
}
