/** @jsxImportSource preact */
/** Tools of the active server. */

import { t } from '../base/i18n.ts'
import { catalogue, type Tool } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { minimalArguments, write } from './actions.ts'
import { Items } from './items.tsx'
import { ServerIcon } from './server-icon.tsx'

/** A tool may have side effects, so no button calls one: the call is written into the composer and sent from there. */
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
