import './crawl.smoke.ts'
