import './tasks.page.ts'
