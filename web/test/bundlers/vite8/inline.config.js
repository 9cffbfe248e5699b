import { defineConfig } from 'vite'

// Assets below this size become data: URLs: worker.js and engine.wasm too.
export default defineConfig({
  build: { assetsInlineLimit: 10_000_000 }, // bytes
})
