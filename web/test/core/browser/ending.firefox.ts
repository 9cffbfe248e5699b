import './ending.page.ts'
