import './shared-tab.page.ts'
