import './tabs.page.ts'
