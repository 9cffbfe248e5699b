import './life.page.ts'
