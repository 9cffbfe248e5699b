/** @jsxImportSource preact */
/** The demo's panel: its notes, tabs and form, and the options of the simulation. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { duration } from '../base/numbers.ts'
import { change, settings } from '../base/settings.ts'
import { demoPaused } from '../base/state.ts'
import { burst, omitted } from './burst.ts'
import { type Demo, demo } from './demo.ts'
import { type ChangeRate, changeRates, simulate, simulation } from './simulation.ts'
import { fakeTabs } from './tabs.ts'
import { TypedField } from './typed-field.tsx'

export function DemoPanel() {
  const there = useSignal<Demo | undefined>(undefined)
  useEffect(() => {
    demo().then((started) => {
      there.value = started
    })
  }, [there])
  if (there.value === undefined) return <p class="quiet">{t('demo.starting')}</p>
  return (
    <div class="demo stack">
      <NotesPart demo={there.value} />
      <TabsPart demo={there.value} />
      <FormPart demo={there.value} />
      <Simulation demo={there.value} />
    </div>
  )
}

function NotesPart({ demo }: { demo: Demo }) {
  const name = useSignal('')
  demo.noted.value // redraws
  return (
    <section class="stack" aria-labelledby="demo-notes">
      <h2 id="demo-notes">{t('demo.notes')}</h2>
      <p class="quiet">{t('demo.notesLead')}</p>
      {demo.notes.all().map(({ id, text }) => (
        <p class="field" key={id}>
          <label for={`note-${id}`}>
            <code lang="en" translate={false}>{`notes://${id}`}</code>
          </label>
          <TypedField
            id={`note-${id}`}
            rows={Math.min(4, text.split('\n').length)}
            value={text}
            save={(text) => demo.writeNote(id, text)}
          />
        </p>
      ))}
      <form
        class="toolbar"
        onSubmit={(event) => {
          event.preventDefault()
          const id = name.value.trim()
          if (id !== '' && demo.notes.get(id) === undefined) demo.writeNote(id, '')
          name.value = ''
        }}
      >
        <input
          aria-label={t('demo.newNote')}
          placeholder={t('demo.newNote')}
          value={name.value}
          onInput={({ currentTarget }) => {
            name.value = currentTarget.value
          }}
        />
        <button type="submit">{t('demo.addNote')}</button>
      </form>
    </section>
  )
}

function TabsPart({ demo }: { demo: Demo }) {
  return (
    <section class="stack" aria-labelledby="demo-tabs">
      <h2 id="demo-tabs">{t('demo.tabs')}</h2>
      <p class="quiet">{t('demo.tabsLead')}</p>
      {fakeTabs.value.map(({ id, title, url }) => (
        <p class="toolbar" key={id}>
          <TypedField
            aria-label={t('demo.tabTitle', { id })}
            value={title}
            save={(title) => demo.setTab(id, { title })}
          />
          <button
            type="button"
            aria-label={t('demo.navigateTab', { id })}
            onClick={() => demo.navigate(id)}
          >
            {t('demo.navigate')}
          </button>
          <code class="quiet" lang="en" translate={false}>
            {url}
          </code>
        </p>
      ))}
    </section>
  )
}

function FormPart({ demo }: { demo: Demo }) {
  const { name, street, city, express } = demo.form.value
  const fields = [
    ['name', t('demo.fieldName'), name],
    ['street', t('demo.fieldStreet'), street],
    ['city', t('demo.fieldCity'), city],
  ] as const
  return (
    <section class="stack" aria-labelledby="demo-form">
      <h2 id="demo-form">{t('demo.form')}</h2>
      {fields.map(([id, label, value]) => (
        <p class="field" key={id}>
          <label for={`form-${id}`}>{label}</label>
          <TypedField
            id={`form-${id}`}
            autocomplete="off"
            value={String(value)}
            save={(text) => demo.setField(id, text)}
          />
        </p>
      ))}
      <label>
        <input
          type="checkbox"
          checked={express === true}
          onChange={({ currentTarget }) => demo.setField('express', currentTarget.checked)}
        />{' '}
        {t('demo.fieldExpress')}
      </label>
    </section>
  )
}

const paceTexts = {
  still: 'demo.rateStill',
  slow: 'demo.rateSlow',
  normal: 'demo.rateNormal',
  fast: 'demo.rateFast',
} as const

/** Choices for the delay of reads. */
const latencies = [0, 200, 1000, 5000] as const // ms

function Simulation({ demo }: { demo: Demo }) {
  const { pace, latency, errors, drop } = simulation.value
  return (
    <details
      class="drawer"
      open={settings.value.simulation}
      onToggle={({ currentTarget }) => change({ simulation: currentTarget.open })}
    >
      <summary>
        <Icon name="settings" /> {t('demo.simulation')}
      </summary>
      <label class="field beside">
        {t('demo.rate')}
        <select
          value={demoPaused.value ? 'still' : pace}
          onChange={({ currentTarget }) => {
            demoPaused.value = false
            simulate({ pace: currentTarget.value as ChangeRate })
          }}
        >
          {(Object.keys(changeRates) as ChangeRate[]).map((one) => (
            <option key={one} value={one}>
              {t(paceTexts[one])}
            </option>
          ))}
        </select>
      </label>
      <label class="field beside">
        {t('demo.latency')}
        <select
          value={latency}
          onChange={({ currentTarget }) => simulate({ latency: Number(currentTarget.value) })}
        >
          {latencies.map((ms) => (
            <option key={ms} value={ms}>
              {duration(ms)}
            </option>
          ))}
        </select>
      </label>
      <Switch label={t('demo.failing')} on={errors} change={(on) => simulate({ errors: on })} />
      <Switch label={t('demo.dropping')} on={drop} change={(on) => simulate({ drop: on })} />
      <Switch
        label={t('demo.big')}
        on={demo.hasBigList.value}
        change={(on) => demo.setBigList(on)}
      />
      <p class="toolbar">
        <button type="button" onClick={burst}>
          {t('demo.burst')}
        </button>
        <button type="button" onClick={() => demo.closeAll()}>
          {t('demo.close')}
        </button>
      </p>
      {omitted.value ? (
        <p class="quiet" role="status">
          {t('demo.omitted', { count: omitted.value })}
        </p>
      ) : null}
    </details>
  )
}

function Switch(props: { label: string; on: boolean; change(on: boolean): void }) {
  return (
    <label>
      <input
        type="checkbox"
        checked={props.on}
        onChange={({ currentTarget }) => props.change(currentTarget.checked)}
      />
      {props.label}
    </label>
  )
}
