import './denied.page.ts'
