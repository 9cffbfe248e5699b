import './database.page.ts'
