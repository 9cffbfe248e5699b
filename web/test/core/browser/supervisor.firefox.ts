import './supervisor.smoke.ts'
