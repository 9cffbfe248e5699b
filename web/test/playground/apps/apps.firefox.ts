import './apps.page.ts'
