import './upgrade.page.ts'
