import './client.smoke.ts'
