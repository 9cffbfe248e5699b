import './registry.smoke.ts'
