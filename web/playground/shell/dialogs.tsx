/** @jsxImportSource preact */
/** Dialogs: native, one at a time, each loaded when it is opened first. */

import { type ComponentChildren, createRef } from 'preact'
import { useEffect } from 'preact/hooks'
import type { DialogProps } from '../base/dialog-props.ts'
import { lazy } from '../base/lazy.tsx'
import { dialog } from '../base/state.ts'

const contents = {
  palette: lazy<DialogProps>(async () => (await import('./shell-parts.ts')).Palette),
  connect: lazy<DialogProps>(async () => (await import('../connections/connect-parts.ts')).Connect),
  keys: lazy<DialogProps>(async () => (await import('./shell-parts.ts')).KeysHelp),
  conformance: lazy<DialogProps>(
    async () => (await import('../conformance/conformance.tsx')).Conformance,
  ),
  yourPage: lazy<DialogProps>(async () => (await import('../your-page/your-page.tsx')).YourPage),
  share: lazy<DialogProps>(async () => (await import('../share/share-parts.ts')).Share),
} as const

const close = () => {
  dialog.value = undefined
}

export function Dialogs() {
  const name = dialog.value
  if (name === undefined || !(name in contents)) return null
  const Content = contents[name as keyof typeof contents]
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
