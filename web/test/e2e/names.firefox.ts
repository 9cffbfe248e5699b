import './names.page.ts'
