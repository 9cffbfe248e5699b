import './server-gone.page.ts'
