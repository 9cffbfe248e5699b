import './serving.page.ts'
