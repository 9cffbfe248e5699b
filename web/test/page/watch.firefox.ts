import './watch.smoke.ts'
