import './given-up.page.ts'
