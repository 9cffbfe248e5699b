import './others.page.ts'
