/** @jsxImportSource preact */
/** What resources, templates, prompts and tools share: one kind of row, one search over all lists. */

import { signal } from '@preact/signals'
import { type ComponentChildren, Fragment } from 'preact'
import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import { change } from '../base/settings.ts'
import { catalogue, type Prompt, type Template, type Tool } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { LazyList } from './lazy-list.tsx'
import { ListState } from './list-state.tsx'
import { byOrigin, matching, type Searched } from './matching.ts'
import { ServerIcon } from './server-icon.tsx'

/** The words of the search: the same in all lists. */
export const wanted = signal('')

/** @param children - beside the field */
export function Search({ children }: { children?: ComponentChildren }) {
  return (
    <div class="explore-tools toolbar">
      <input
        type="search"
        class="quiet-field"
        aria-label={t('explore.search')}
        placeholder={t('explore.search')}
        value={wanted.value}
        onInput={({ currentTarget }) => {
          wanted.value = currentTarget.value
        }}
      />
      {children}
    </div>
  )
}

const kinds = ['resources', 'templates', 'prompts', 'tools'] as const
type Kind = (typeof kinds)[number]

/** How many items the search hides here, and where else it finds some. */
export function Found({ session, kind, hidden }: { session: Session; kind: Kind; hidden: number }) {
  const { lists } = catalogue(session)
  const others = kinds
    .filter((one) => one !== kind && wanted.value.trim() !== '')
    .map((one) => ({ one, count: matching<Searched>(lists[one].value.items, wanted.value).length }))
    .filter(({ count }) => count > 0)
  return (
    <>
      {hidden > 0 ? (
        <p class="quiet" role="status">
          {t('explore.hidden', { count: hidden })}
        </p>
      ) : null}
      {others.length > 0 ? (
        <p class="toolbar">
          {others.map(({ one, count }) => (
            <button
              key={one}
              type="button"
              data-elsewhere={one}
              onClick={() => change({ view: one })}
            >
              {t(`explore.${one}`)} <span class="chip">{count}</span>
            </button>
          ))}
        </p>
      ) : null}
      <ListState session={session} kind={kind} />
    </>
  )
}

interface Lists {
  templates: Template
  prompts: Prompt
  tools: Tool
}

interface ItemsProps<K extends keyof Lists> {
  session: Session
  kind: K
  /** A list item. It has the key. */
  row(item: Lists[K]): ComponentChildren
}

/** A list of any length with its search and state. */
export function Items<K extends keyof Lists>({ session, kind, row }: ItemsProps<K>) {
  const all: readonly Lists[K][] = catalogue(session).lists[kind].value.items
  const found = matching<Lists[K]>(all, wanted.value)
  const groups = kind === 'templates' ? byOrigin<Lists[K]>(found) : [['', found] as const]
  return (
    <>
      {all.length > 1 || wanted.value ? <Search /> : null}
      {groups.map(([name, items]) => (
        <Fragment key={name}>
          {name && groups.length > 1 ? (
            <h3 class="explore-scheme" translate={false}>
              {name}
            </h3>
          ) : null}
          <LazyList items={items} row={row} />
        </Fragment>
      ))}
      <Found session={session} kind={kind} hidden={all.length - found.length} />
    </>
  )
}

interface NamesProps {
  /** Texts of the server. */
  of: Pick<Prompt, 'name' | 'title' | 'description' | 'icons'>
  /** The URI, template or name by which a client asks for it. */
  calledBy: string
}

/** Icon, name, identifier and the first line of the description: the same for all kinds. */
export function Names({ of: { name, title, description, icons }, calledBy }: NamesProps) {
  return (
    <>
      <ServerIcon icons={icons} />
      <span class="row-name">{title ?? name}</span>
      <code class="row-uri" lang="en" translate={false}>
        {calledBy}
      </code>
      {description ? (
        <span class="row-about" title={description}>
          {description}
        </span>
      ) : null}
    </>
  )
}

/** A row with a folded form: fields are filled in before the request is sent. */
export function FormItem(props: NamesProps & { submit(): void; children: ComponentChildren }) {
  return (
    <li class="list-row form-item">
      <details>
        <summary class="row-open">
          <Icon name="down" />
          <Names {...props} />
        </summary>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            props.submit()
          }}
        >
          {props.children}
        </form>
      </details>
    </li>
  )
}
