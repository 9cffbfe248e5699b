/** @jsxImportSource preact */
import { useSignal } from '@preact/signals'
import { type ComponentType, createElement } from 'preact'
import { useEffect } from 'preact/hooks'
import { t, textsLoaded } from './i18n.ts'

/**
 * A component whose module is loaded when it is first shown. Shows a text while loading, and an error if that
 * fails.
 */
export function lazy<P extends object>(load: () => Promise<ComponentType<P>>): ComponentType<P> {
  let loaded: ComponentType<P> | undefined
  let loading: Promise<ComponentType<P>> | undefined
  return function Lazy(props: P) {
    const shown = useSignal<ComponentType<P> | undefined>(loaded)
    const failure = useSignal('')
    useEffect(() => {
      loading ??= Promise.all([load(), textsLoaded()]).then(([component]) => component)
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
    }, [shown, failure])
    if (failure.value)
      return <p role="alert">{t('base.failedToLoad', { reason: failure.value })}</p>
    const FilteredRows = shown.value
    return FilteredRows ? (
      createElement(FilteredRows, props)
    ) : (
      <p class="loading">{t('base.loading')}</p>
    )
  }
}
