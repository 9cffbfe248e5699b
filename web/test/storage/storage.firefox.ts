import './storage.smoke.ts'
