/** Parts of other areas that the timeline's buttons open. They are loaded when they are wanted. */

import { dialog } from '../app/state.ts'

export const parts = {
  /** Lets people choose a transcript, and reads it in. */
  async importFile(): Promise<void> {
    dialog.value = 'share'
  },
  /** Opens the dialog that writes a transcript. */
  exportRows(): void {
    dialog.value = 'share'
  },
}
