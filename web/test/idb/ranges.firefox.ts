import './ranges.smoke.ts'
