/** @jsxImportSource preact */
/** Skills of the active server: the Skills extension, SEP-2640. */

import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { sizeText } from '../base/size.ts'
import { catalogue, type Skill } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { send, write } from './actions.ts'
import { ListState } from './list-state.tsx'

export const Skills = ({ session }: { session: Session }) => (
  <>
    <ul>
      {catalogue(session).lists.skills.value.items.map((skill) => (
        <SkillItem key={skill.uri} skill={skill} />
      ))}
    </ul>
    <ListState session={session} kind="skills" />
  </>
)

function SkillItem({ skill: { uri, frontmatter, resources } }: { skill: Skill }) {
  const name = String(frontmatter?.name ?? uri)
  // An entry without a list of files has at least the file that names it.
  const files = Array.isArray(resources) ? resources : [{ uri }]
  return (
    <li class="list-row skill">
      <p class="row-open">
        <strong>{name}</strong>
        <span class="row-about">{String(frontmatter?.description ?? '')}</span>
      </p>
      <p class="row-acts">
        <IconButton
          name="edit"
          label={t('explore.writeOf', { name })}
          onClick={() => write('skills/get', { uri }, name)}
        />
      </p>
      {files.map((file) =>
        typeof file?.uri === 'string' ? <File key={file.uri} {...file} /> : null,
      )}
    </li>
  )
}

const File = ({ uri, size }: { uri: string; size?: number }) => (
  <p class="list-row">
    <button
      type="button"
      class="row-open plain"
      title={t('explore.read', { uri })}
      onClick={() => send('resources/read', { uri })}
    >
      <code class="row-uri" lang="en" translate={false}>
        {uri}
      </code>
    </button>
    <span class="row-facts">{typeof size === 'number' ? <span>{sizeText(size)}</span> : null}</span>
  </p>
)
