/** @jsxImportSource preact */
/** Dialogs: native, one at a time, each loaded when it is opened first. */

import { type ComponentChildren, type ComponentType, createRef } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DialogProps } from '../base/dialog-props.ts'
import { lazy } from '../base/lazy.tsx'
import { layout, show } from '../base/state.ts'

/** Of dialogs that were opened. Those of all commands are found in their tables, which are loaded later. */
const contents: { [name: string]: ComponentType<DialogProps> } = {}

function contentOf(name: string): ComponentType<DialogProps> {
  contents[name] ??= lazy<DialogProps>(async () => {
    const { commands, Palette, KeysHelp } = await import('./shell-parts.ts')
    const load = commands.find(({ dialog }) => dialog === name)?.load
    return load?.() ?? (name === 'keys' ? KeysHelp : Palette)
  })
  return contents[name]
}

const close = () => {
  show({ dialog: undefined })
}

export function Dialogs() {
  const name = layout.value.dialog
  if (name === undefined) return null
  const Content = contentOf(name)
  return (
    <Modal name={name}>
      <Content close={close} />
    </Modal>
  )
}

function Modal({ name, children }: { name: string; children: ComponentChildren }) {
  const box = createRef<HTMLDialogElement>()
  useEffect(() => {
    const before = document.activeElement
    box.current?.showModal()
    return () => {
      if (before instanceof HTMLElement) before.focus()
    }
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog without our help
    <dialog
      ref={box}
      class={name}
      onClose={close}
      onClick={(event) => {
        if (event.target === event.currentTarget) close() // on the backdrop
      }}
    >
      {children}
    </dialog>
  )
}
