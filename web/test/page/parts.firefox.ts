import './parts.smoke.ts'
