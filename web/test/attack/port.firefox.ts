import './port.page.ts'
