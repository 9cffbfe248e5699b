/** What every dialog gets. */

export interface DialogProps {
  close(): void
}
