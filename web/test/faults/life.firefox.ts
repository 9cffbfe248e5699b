import './life.smoke.ts'
