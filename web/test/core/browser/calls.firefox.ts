import './calls.smoke.ts'
