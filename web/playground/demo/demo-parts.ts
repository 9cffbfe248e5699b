/** The demo: its server, the stage and the panel: one chunk. */

export { demoPort } from './demo.ts'
export { introduce, showFirstSubscription } from './first-subscription.tsx'
export { DemoPanel } from './panel.tsx'
export { Stage } from './stage.tsx'
