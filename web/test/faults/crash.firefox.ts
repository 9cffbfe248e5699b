import './crash.page.ts'
