import './listen.smoke.ts'
