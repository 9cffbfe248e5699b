/**
 * The checks of a conformance run: tables of messages that a client may send without effects, and what the
 * server must answer. Rules that hold for every message are in rules.ts. The ids are those of requirements.json.
 */

import { jsonRpc } from './checks/json-rpc.ts'
import { lifecycle } from './checks/lifecycle.ts'
import { metadata } from './checks/metadata.ts'
import { prompts } from './checks/prompts.ts'
import { resources } from './checks/resources.ts'
import { subscriptions } from './checks/subscriptions.ts'
import type { Check } from './trial.ts'

export const checks: readonly Check[] = [
  ...jsonRpc,
  ...lifecycle,
  ...metadata,
  ...resources,
  ...subscriptions,
  ...prompts,
]
