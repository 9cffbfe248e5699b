import type { Messages } from '../../app/i18n.ts'

export const explain: Messages['explain'] = {}
