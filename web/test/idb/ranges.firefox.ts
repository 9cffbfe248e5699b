import './ranges.page.ts'
