import './writes.page.ts'
