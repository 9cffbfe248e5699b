/** @jsxImportSource preact */
/**
 * The resources of the active server: search, filter and order, as a list or a tree, each with a subscription
 * switch.
 */

import { type Signal, useSignal } from '@preact/signals'
import { t, tag } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { Menu } from '../base/menu.tsx'
import { setting } from '../base/settings.ts'
import { sizeText } from '../base/size.ts'
import { catalogue, type Resource } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { send, write } from './actions.ts'
import { Found, Names, Search, wanted } from './items.tsx'
import { LazyList } from './lazy-list.tsx'
import {
  type Branch,
  filterAndSort,
  type ListOptions,
  type Order,
  orders,
  treeOf,
} from './order.ts'

const order = setting<string>('explore.order', 'server')
const asTree = setting('explore.tree', false)

export function Resources({ session }: { session: Session }) {
  const audience = useSignal<ListOptions['audience']>('')
  const list = catalogue(session).lists.resources.value
  const found = filterAndSort(list.items, {
    search: wanted.value,
    audience: audience.value,
    order: order.value as Order,
  })
  return (
    <>
      <Search>
        <Menu label={t('explore.filter')} icon="filter">
          {() => <FilterFields audience={audience} />}
        </Menu>
      </Search>
      {asTree.value ? (
        <div class="explore-tree">
          <Branches of={treeOf(found)} session={session} />
        </div>
      ) : (
        <LazyList
          items={found}
          row={(resource) => (
            <ResourceItem key={resource.uri} resource={resource} session={session} />
          )}
        />
      )}
      <Found session={session} kind="resources" hidden={list.items.length - found.length} />
    </>
  )
}

/** How the list is ordered and filtered, in a popover. */
function FilterFields({ audience }: { audience: Signal<ListOptions['audience']> }) {
  return (
    <div class="explore-filter">
      <label>
        {t('explore.order')}
        <select
          value={order.value}
          onChange={({ currentTarget }) => {
            order.value = currentTarget.value
          }}
        >
          {orders.map((one) => (
            <option key={one} value={one}>
              {t(`explore.by.${one}`)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('explore.audience')}
        <select
          value={audience.value}
          onChange={({ currentTarget }) => {
            audience.value = currentTarget.value as ListOptions['audience']
          }}
        >
          <option value="">{t('explore.forAll')}</option>
          <option value="user">{t('explore.forUser')}</option>
          <option value="assistant">{t('explore.forAssistant')}</option>
        </select>
      </label>
      <label>
        {t('explore.tree')}
        <input
          type="checkbox"
          checked={asTree.value}
          onChange={({ currentTarget }) => {
            asTree.value = currentTarget.checked
          }}
        />
      </label>
    </div>
  )
}

function Branches({ of: branches, session }: { of: readonly Branch[]; session: Session }) {
  return (
    <LazyList
      items={branches}
      row={(branch) => <TreeBranch key={branch.path} branch={branch} session={session} />}
    />
  )
}

function TreeBranch({ branch, session }: { branch: Branch; session: Session }) {
  const { resource, below, label } = branch
  const open = useSignal(below.length < 60)
  if (below.length === 0 && resource) {
    return <ResourceItem resource={resource} session={session} label={label} />
  }
  return (
    <li>
      <details
        open={open.value}
        onToggle={({ currentTarget }) => {
          open.value = currentTarget.open
        }}
      >
        <summary>
          <code lang="en" translate={false}>
            {label}
          </code>{' '}
          <span class="quiet">{new Intl.NumberFormat(tag()).format(below.length)}</span>
        </summary>
        {open.value ? (
          <>
            {resource ? (
              <ul>
                <ResourceItem resource={resource} session={session} label={label} />
              </ul>
            ) : null}
            <Branches of={below} session={session} />
          </>
        ) : null}
      </details>
    </li>
  )
}

function ResourceItem(props: { resource: Resource; session: Session; label?: string }) {
  const { resource, session, label } = props
  const { uri, name, title, mimeType, size, annotations } = resource
  const update = session.updates.value.get(uri)
  const watched = session.isSubscribed(uri)
  const shown = label ?? title ?? name
  return (
    <li class="thing" data-watched={watched}>
      <button
        type="button"
        class="thing-read plain"
        title={t('explore.read', { uri })}
        onClick={() => send('resources/read', { uri })}
      >
        <Names of={resource} calledBy={uri} label={label} />
      </button>
      <span class="thing-facts">
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
      <span class="thing-acts">
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
