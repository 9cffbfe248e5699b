import './join.smoke.ts'
