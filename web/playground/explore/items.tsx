/** @jsxImportSource preact */
/** Parts that the lists of templates, prompts and tools share. */

import type { ComponentChildren } from 'preact'
import type { ListKind, Prompt } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { ListState } from './list-state.tsx'
import { ServerIcon } from './server-icon.tsx'

/** A list and its state. */
export function Items(props: { session: Session; kind: ListKind; children: ComponentChildren }) {
  return (
    <>
      <ul class="explore-list">{props.children}</ul>
      <ListState session={props.session} kind={props.kind} />
    </>
  )
}

/** A folded form: fields are filled in before the request is sent. */
export function FormItem(props: {
  /** Texts of the server. */
  of: Pick<Prompt, 'name' | 'title' | 'description' | 'icons'>
  calledBy: string
  submit(): void
  children: ComponentChildren
}) {
  const { name, title, description, icons } = props.of
  return (
    <li class="form-item">
      <details>
        <summary>
          <ServerIcon icons={icons} />
          {title ?? name}{' '}
          <code lang="en" translate={false}>
            {props.calledBy}
          </code>
        </summary>
        {description ? <p class="quiet">{description}</p> : null}
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
