import { build } from 'esbuild'

await build({
  entryPoints: [
    { in: 'src/urls.js', out: 'main' },
    { in: 'pagemcp/worker.js', out: 'pagemcp-worker' },
  ],
  bundle: true,
  format: 'esm',
  splitting: true,
  loader: { '.wasm': 'file' },
  outdir: 'dist',
})
