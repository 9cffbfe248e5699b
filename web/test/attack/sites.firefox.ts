import './sites.page.ts'
