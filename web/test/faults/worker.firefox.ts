import './worker.page.ts'
