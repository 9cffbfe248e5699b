/** @jsxImportSource preact */
/** Icons of the sprite icons.svg. They have no text: the button or text beside them says what they mean. */

/** The ids in icons.svg; a test compares. */
export type IconName =
  | 'activity'
  | 'arrow-in'
  | 'arrow-out'
  | 'back'
  | 'bell'
  | 'book'
  | 'braces'
  | 'chat'
  | 'check'
  | 'clock'
  | 'close'
  | 'copy'
  | 'database'
  | 'diagram'
  | 'down'
  | 'edit'
  | 'event'
  | 'export'
  | 'eye'
  | 'file'
  | 'filter'
  | 'follow'
  | 'forward'
  | 'import'
  | 'list'
  | 'minus'
  | 'more'
  | 'page'
  | 'pause'
  | 'pin'
  | 'play'
  | 'plug'
  | 'plus'
  | 'refresh'
  | 'search'
  | 'settings'
  | 'share'
  | 'spark'
  | 'tool'
  | 'trash'
  | 'warning'

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" aria-hidden="true">
      <use href={`icons.svg#${name}`} />
    </svg>
  )
}

/** A button with an icon only; `label` is its name and its tooltip. */
export function IconButton({
  name,
  label,
  ...attributes
}: { name: IconName; label: string } & Omit<
  preact.JSX.IntrinsicElements['button'],
  'name' | 'label'
>) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} {...attributes}>
      <Icon name={name} />
    </button>
  )
}
