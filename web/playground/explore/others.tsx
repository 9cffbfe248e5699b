/** @jsxImportSource preact */
/** Templates, prompts and tools of the active server: filled in here, sent or written into the composer. */

import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { t } from '../base/i18n.ts'
import {
  catalogue,
  type ListKind,
  type Prompt,
  type Template,
  type Tool,
} from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { minimalArguments, send, write } from './actions.ts'
import { CompletedField } from './completed-field.tsx'
import { ListState } from './list-state.tsx'
import { ServerIcon } from './resources.tsx'
import { fillTemplate, type Values } from './template.ts'

/** A list, and how it stands. */
function Items(props: { session: Session; kind: ListKind; children: ComponentChildren }) {
  return (
    <>
      <ul class="explore-list">{props.children}</ul>
      <ListState session={props.session} kind={props.kind} />
    </>
  )
}

/** What is filled in before it is sent: closed at first, with its name and what the protocol calls it by. */
function FormItem(props: {
  /** All the server's words. */
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

export const Templates = ({ session }: { session: Session }) => (
  <Items session={session} kind="templates">
    {catalogue(session).lists.templates.value.items.map((template) => (
      <TemplateForm key={template.uriTemplate} template={template} session={session} />
    ))}
  </Items>
)

function TemplateForm({ template, session }: { template: Template; session: Session }) {
  const { uriTemplate, name, title } = template
  const filled = useSignal<Values>({})
  const { variables, partial, uri, needed, problem } = fillTemplate(uriTemplate, filled.value)
  return (
    <FormItem
      of={template}
      calledBy={uriTemplate}
      submit={() => uri !== undefined && send('resources/read', { uri })}
    >
      {variables.map((variable) => (
        <CompletedField
          key={variable.name}
          ref_={{ type: 'ref/resource', uri: uriTemplate }}
          name={variable.name}
          label={variable.name}
          hint={variable.many ? t('explore.commas') : undefined}
          required={!variable.optional}
          filled={filled.value}
          change={(value) => {
            filled.value = { ...filled.value, [variable.name]: value }
          }}
        />
      ))}
      <p aria-live="polite">
        <code lang="en" translate={false}>
          {partial}
        </code>{' '}
        {problem ? (
          <span class="chip" data-is="bad">
            {problem}
          </span>
        ) : null}
        {needed.length > 0 ? (
          <span class="chip" data-is="warn">
            {t('explore.needed', { names: needed.join(', ') })}
          </span>
        ) : null}
      </p>
      <button type="submit" class="primary" disabled={uri === undefined}>
        {t('explore.readShort')}
      </button>{' '}
      <button
        type="button"
        role="switch"
        aria-checked={uri !== undefined && session.isSubscribed(uri)}
        disabled={uri === undefined}
        onClick={() => {
          if (uri === undefined) return
          if (session.isSubscribed(uri)) session.unsubscribe(uri)
          else session.subscribe(uri)
        }}
      >
        {t('explore.watchShort')}
      </button>{' '}
      <button
        type="button"
        disabled={uri === undefined}
        onClick={() => uri !== undefined && write('resources/read', { uri }, title ?? name)}
      >
        {t('explore.write')}
      </button>
    </FormItem>
  )
}

export const Prompts = ({ session }: { session: Session }) => (
  <Items session={session} kind="prompts">
    {catalogue(session).lists.prompts.value.items.map((prompt) => (
      <PromptForm key={prompt.name} prompt={prompt} />
    ))}
  </Items>
)

function PromptForm({ prompt }: { prompt: Prompt }) {
  const { name, title, arguments: declared = [] } = prompt
  const filled = useSignal<Values>({})
  const given = Object.fromEntries(Object.entries(filled.value).filter(([, value]) => value !== ''))
  const params = { name, ...(Object.keys(given).length > 0 && { arguments: given }) }
  return (
    <FormItem of={prompt} calledBy={name} submit={() => send('prompts/get', params)}>
      {declared.map((argument) => (
        <CompletedField
          key={argument.name}
          ref_={{ type: 'ref/prompt', name }}
          name={argument.name}
          label={argument.title ?? argument.name}
          hint={argument.description}
          required={argument.required === true}
          filled={filled.value}
          change={(value) => {
            filled.value = { ...filled.value, [argument.name]: value }
          }}
        />
      ))}
      <button type="submit" class="primary">
        {t('explore.get')}
      </button>{' '}
      <button type="button" onClick={() => write('prompts/get', params, title ?? name)}>
        {t('explore.write')}
      </button>
    </FormItem>
  )
}

/** Tools act, so nothing here calls one at a press: the call is written, looked at, and then sent. */
export const Tools = ({ session }: { session: Session }) => (
  <Items session={session} kind="tools">
    {catalogue(session).lists.tools.value.items.map((tool) => (
      <ToolItem key={tool.name} tool={tool} />
    ))}
  </Items>
)

function ToolItem({ tool }: { tool: Tool }) {
  const { name, title, description, icons, inputSchema } = tool
  return (
    <li class="form-item">
      <p>
        <ServerIcon icons={icons} />
        <strong>{title ?? name}</strong>{' '}
        <code lang="en" translate={false}>
          {name}
        </code>
      </p>
      {description ? <p class="quiet">{description}</p> : null}
      <button
        type="button"
        aria-label={t('explore.writeOf', { name: title ?? name })}
        onClick={() =>
          write('tools/call', { name, arguments: minimalArguments(inputSchema) }, title ?? name)
        }
      >
        {t('explore.write')}
      </button>
    </li>
  )
}
