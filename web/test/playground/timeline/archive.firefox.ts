import './archive.page.ts'
