import './away.page.ts'
