/** Props of every dialog. */

export interface DialogProps {
  close(): void
}
