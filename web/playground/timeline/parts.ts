/** Parts of other areas that the timeline's buttons open. They are loaded when they are wanted. */

import { dialog } from '../base/state.ts'

export const parts = {
  /** Lets people choose a transcript, and reads it in. */
  async importFile(): Promise<void> {
    // Browsers open the dialog for some seconds after the click: the module is there by then.
    ;(await import('../share/choose-file.ts')).chooseFile()
  },
  /** Opens the dialog that writes a transcript. */
  exportRows(): void {
    dialog.value = 'share'
  },
}
