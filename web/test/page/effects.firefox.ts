import './effects.page.ts'
