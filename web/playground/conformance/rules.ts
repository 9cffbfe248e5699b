/**
 * What must hold for each message of a server, whatever was asked: these rules look at everything that a run
 * received. The ids are those of requirements.json.
 */

import { memberRules } from './rules/members.ts'
import { messageRules } from './rules/messages.ts'
import { notificationRules } from './rules/notifications.ts'
import { resultRules } from './rules/results.ts'
import type { Rule } from './rules/seen.ts'

export const rules: readonly Rule[] = [
  ...messageRules,
  ...notificationRules,
  ...resultRules,
  ...memberRules,
]
