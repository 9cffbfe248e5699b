/** @jsxImportSource preact */
/** Tools of the active server. */

import { t } from '../base/i18n.ts'
import { Icon } from '../base/icon.tsx'
import type { Tool } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { minimalArguments, write } from './actions.ts'
import { Items, Names } from './items.tsx'

/** A tool may have side effects, so no button calls one: the call is written into the composer and sent from there. */
export const Tools = ({ session }: { session: Session }) => (
  <Items session={session} kind="tools" row={(tool) => <ToolItem key={tool.name} tool={tool} />} />
)

function ToolItem({ tool }: { tool: Tool }) {
  const { name, title, inputSchema } = tool
  const shown = title ?? name
  return (
    <li class="list-row">
      <button
        type="button"
        class="row-open plain"
        title={t('explore.writeOf', { name: shown })}
        onClick={() =>
          write('tools/call', { name, arguments: minimalArguments(inputSchema) }, shown)
        }
      >
        <Names of={tool} calledBy={name} />
      </button>
      <span class="row-acts quiet">
        <Icon name="edit" />
      </span>
    </li>
  )
}
