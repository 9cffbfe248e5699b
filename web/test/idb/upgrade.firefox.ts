import './upgrade.smoke.ts'
