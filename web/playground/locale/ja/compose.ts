import type { Messages } from '../../app/i18n.ts'

export const compose: Messages['compose'] = {}
