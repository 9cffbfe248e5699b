import { copyFile } from 'node:fs/promises'
import { build } from 'esbuild'

await build({
  entryPoints: ['src/main.js'],
  bundle: true,
  format: 'esm',
  splitting: true,
  outdir: 'dist',
})
for (const name of ['worker.js', 'engine.wasm']) {
  await copyFile(`node_modules/pagemcp/${name}`, `dist/${name}`)
}
