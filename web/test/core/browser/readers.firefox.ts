import './readers.page.ts'
