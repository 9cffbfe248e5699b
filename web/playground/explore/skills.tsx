/** @jsxImportSource preact */
/** Skills of the active server: the Skills extension, SEP-2640. */

import { t } from '../base/i18n.ts'
import { sizeText } from '../base/size.ts'
import { catalogue, type Skill } from '../connections/catalogue.ts'
import type { Session } from '../connections/session.ts'
import { send, write } from './actions.ts'
import { ListState } from './list-state.tsx'

export const Skills = ({ session }: { session: Session }) => (
  <>
    <ul class="explore-list">
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
    <li class="form-item skill">
      <p>
        <strong>{name}</strong>
      </p>
      <p class="quiet">{String(frontmatter?.description ?? '')}</p>
      {files.map((file) =>
        typeof file?.uri === 'string' ? <File key={file.uri} {...file} /> : null,
      )}
      <button
        type="button"
        aria-label={t('explore.writeOf', { name })}
        onClick={() => write('skills/get', { uri }, name)}
      >
        {t('explore.write')}
      </button>
    </li>
  )
}

const File = ({ uri, size }: { uri: string; size?: number }) => (
  <p class="thing">
    <button
      type="button"
      class="thing-read plain"
      title={t('explore.read', { uri })}
      onClick={() => send('resources/read', { uri })}
    >
      <code class="thing-uri" lang="en" translate={false}>
        {uri}
      </code>
    </button>
    <span class="thing-facts">
      {typeof size === 'number' ? <span>{sizeText(size)}</span> : null}
    </span>
  </p>
)
