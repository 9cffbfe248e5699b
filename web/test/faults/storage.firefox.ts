import './storage.page.ts'
