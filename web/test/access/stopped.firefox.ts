import './stopped.page.ts'
