import './hiding.page.ts'
