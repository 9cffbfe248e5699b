import './visible.smoke.ts'
