/** @jsxImportSource preact */
/** The resources of the active server: search and filter, each with a subscription switch. */

import { type Signal, useSignal } from '@preact/signals'
import { t, tag } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { Menu } from '../base/menu.tsx'
import { sizeText } from '../base/size.ts'
import { catalogue, type Resource } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { send, write } from './actions.ts'
import { Found, Names, Search, wanted } from './items.tsx'
import { LazyList } from './lazy-list.tsx'
import { type Audience, matchingFor } from './matching.ts'

export function Resources({ session }: { session: Session }) {
  const audience = useSignal<Audience>('')
  const list = catalogue(session).lists.resources.value
  const found = matchingFor(list.items, wanted.value, audience.value)
  return (
    <>
      <Search>
        <Menu label={t('explore.filter')} icon="filter">
          {() => <FilterFields audience={audience} />}
        </Menu>
      </Search>
      <LazyList
        items={found}
        row={(resource) => (
          <ResourceItem key={resource.uri} resource={resource} session={session} />
        )}
      />
      <Found session={session} kind="resources" hidden={list.items.length - found.length} />
    </>
  )
}

/** How the list is filtered, in a popover. */
function FilterFields({ audience }: { audience: Signal<Audience> }) {
  return (
    <div class="explore-filter">
      <label class="field beside">
        {t('explore.audience')}
        <select
          value={audience.value}
          onChange={({ currentTarget }) => {
            audience.value = currentTarget.value as Audience
          }}
        >
          <option value="">{t('explore.forAll')}</option>
          <option value="user">{t('explore.forUser')}</option>
          <option value="assistant">{t('explore.forAssistant')}</option>
        </select>
      </label>
    </div>
  )
}

function ResourceItem({ resource, session }: { resource: Resource; session: Session }) {
  const { uri, name, title, mimeType, size, annotations } = resource
  const update = session.updates.value.get(uri)
  const watched = session.isSubscribed(uri)
  const shown = title ?? name
  return (
    <li class="list-row" data-watched={watched}>
      <button
        type="button"
        class="row-open plain"
        title={t('explore.read', { uri })}
        onClick={() => send('resources/read', { uri })}
      >
        <Names of={resource} calledBy={uri} />
      </button>
      <span class="row-facts">
        {mimeType ? <span>{mimeType}</span> : null}
        {typeof size === 'number' ? <span>{sizeText(size)}</span> : null}
        {typeof annotations?.priority === 'number' ? (
          <span>{t('explore.priority', { priority: annotations.priority })}</span>
        ) : null}
        {annotations?.lastModified ? <span>{date(annotations.lastModified)}</span> : null}
        {update ? (
          <span class="chip" data-is="good">
            {t('explore.updates', { count: update.count })}
          </span>
        ) : null}
      </span>
      <span class="row-acts">
        <IconButton
          name="bell"
          label={t('explore.subscribe', { uri })}
          role="switch"
          aria-checked={watched}
          onClick={() => (watched ? session.unsubscribe(uri) : session.subscribe(uri))}
        />
        <IconButton
          name="edit"
          label={t('explore.writeOf', { name: shown })}
          onClick={() => write('resources/read', { uri }, shown)}
        />
      </span>
    </li>
  )
}

function date(iso: string): string {
  const time = Date.parse(iso)
  if (Number.isNaN(time)) return iso
  return new Intl.DateTimeFormat(tag(), { dateStyle: 'medium', timeStyle: 'short' }).format(time)
}
