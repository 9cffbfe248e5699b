import './embed.page.ts'
