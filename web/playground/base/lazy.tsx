/** @jsxImportSource preact */
import { useSignal } from '@preact/signals'
import { type ComponentType, createElement } from 'preact'
import { useEffect } from 'preact/hooks'
import { t, textsLoaded } from './i18n.ts'
import { part } from './part.ts'

/**
 * A component whose module is loaded when it is first shown. Shows a text while loading, and if that fails an error
 * with a button that tries again. In Firefox 153 that does not help before the page is reloaded: it keeps modules that
 * did not load.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  let loading: Promise<ComponentType<P>> | undefined
  return function Lazy(props: P) {
    const shown = useSignal<ComponentType<P> | undefined>(loaded)
    const failure = useSignal('')
    const start = () => {
      failure.value = ''
      loading ??= part(Promise.all([load(), textsLoaded()])).then(([component]) => component)
      loading.then(
        (component) => {
          loaded = component
          shown.value = component
        },
        (error: unknown) => {
          loading = undefined
          failure.value = error instanceof Error ? error.message : String(error)
        },
      )
    }
    useEffect(start, [])
    if (failure.value)
      return (
        <p role="alert">
          {t('base.failedToLoad', { reason: failure.value })}{' '}
          <button type="button" onClick={start}>
            {t('base.tryAgain')}
          </button>
        </p>
      )
    const FilteredRows = shown.value
    return FilteredRows ? (
      createElement(FilteredRows, props)
    ) : (
      <p class="loading">{t('base.loading')}</p>
    )
  }
}
