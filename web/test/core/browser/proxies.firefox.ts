import './proxies.page.ts'
