import './ending.smoke.ts'
