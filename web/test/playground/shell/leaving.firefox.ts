import './leaving.page.ts'
