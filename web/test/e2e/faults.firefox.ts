import './faults.smoke.ts'
