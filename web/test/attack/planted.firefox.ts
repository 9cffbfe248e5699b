import './planted.smoke.ts'
