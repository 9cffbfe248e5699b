import './dialog.smoke.ts'
