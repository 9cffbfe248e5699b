import './published.page.ts'
