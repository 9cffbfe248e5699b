import './harness.page.ts'
