/** @jsxImportSource preact */
/** The page of the stage: tabs to navigate, a note to type into, and a cart. Each is a resource of the demo. */

import { useEffect, useRef } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { demoPaused } from '../base/state.ts'
import type { Demo } from './demo.ts'
import { fakeTabs } from './tabs.ts'
import { TypedField } from './typed-field.tsx'

export function StagePage({ demo }: { demo: Demo }) {
  return (
    <section
      class="stage-page"
      aria-label={t('demo.page')}
      data-changes={demo.noted.value % 2 /* restarts the animation */}
    >
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields */}
      <div class="stage-tabs" role="group" aria-label={t('demo.tabs')}>
        {fakeTabs.value.map(({ id, title }) => (
          <button
            key={id}
            type="button"
            class="ghost"
            translate={false}
            title={t('demo.navigateTab', { id })}
            onClick={() => demo.navigate(id)}
          >
            {title}
          </button>
        ))}
      </div>
      <Note demo={demo} />
      <Cart demo={demo} />
    </section>
  )
}

function Note({ demo }: { demo: Demo }) {
  demo.noted.value // redraws
  const resume = useRef(false)
  const leave = () => {
    if (resume.current) demoPaused.value = false
    resume.current = false
  }
  useEffect(() => leave, [])
  return (
    <p class="stage-note field">
      <label for="stage-note">{t('demo.shoppingList')}</label>
      <TypedField
        id="stage-note"
        rows={2}
        value={demo.notes.get('today')?.text ?? ''}
        save={(text) => demo.writeNote('today', text)}
        onFocus={() => {
          resume.current = !demoPaused.peek()
          demoPaused.value = true // no automatic change overwrites what is typed
        }}
        onBlur={leave}
      />
    </p>
  )
}

function Cart({ demo }: { demo: Demo }) {
  const items = Number(demo.form.value.items)
  return (
    <p class="stage-cart toolbar">
      <span class="wide">{t('demo.cart')}</span>
      <IconButton
        name="minus"
        label={t('demo.fewer')}
        disabled={items === 0}
        onClick={() => demo.setField('items', items - 1)}
      />
      <output>{items}</output>
      <IconButton
        name="plus"
        label={t('demo.more')}
        onClick={() => demo.setField('items', items + 1)}
      />
    </p>
  )
}
