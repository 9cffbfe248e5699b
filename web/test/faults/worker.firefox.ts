import './worker.smoke.ts'
