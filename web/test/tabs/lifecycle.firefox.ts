import './lifecycle.smoke.ts'
