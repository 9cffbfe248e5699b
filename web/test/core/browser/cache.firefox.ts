import './cache.page.ts'
