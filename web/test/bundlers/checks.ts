/** The ways to bundle and host an app that `make bundlers` runs: one row per tool and mode. */

import type { Story } from '../dev/drive.ts'
import { type BrowserName, browserNames } from '../harness/launch.ts'
import { type Hosting, hostings } from './hosting.ts'
import { inlined, ownOrigin, strict, trustedTypes } from './policies.ts'
import type { Command } from './tools.ts'
import type { Fixture } from './workspace.ts'

/** An app that a tool builds or serves. */
export interface BundledCheck {
  /** The tool and its mode. */
  name: string
  fixture: Fixture
  browsers?: readonly BrowserName[]
  /** Runs first. It gets an origin for files, which is not that of the page. */
  build?: Command | ((origin: string) => Command)
  /** A directory of static files, or a server that gets its port by an argument or a variable. */
  serve:
    | { directory: string }
    | { server: (port: string) => Command; env?: (port: string) => NodeJS.ProcessEnv }
  /** Headers of static files. */
  headers?: { readonly [name: string]: string }
  /** The scheme of the Worker's URL, if it is not that of the page. */
  worker?: string
  /** Whether the app has a component that uses pagemcp/react. */
  react?: boolean
  /** The tool needs a setting, which this app does not have: the error that names it. */
  fails?: RegExp
  /** Why this row does not work, and the line that helps. It is reported, and fails if it passes. */
  known?: string
}

/** Development mode: an error in the page, the line of `pagemcp watch`, and the end of the error. */
export interface DevCheck extends Pick<Story, 'name' | 'place'> {
  fixture: Fixture
  server: (port: string) => Command
  /** The file with the mistake. */
  mistake: string
  /** The file that calls `dev`, of a page that is paired by `pagemcp pair`, and not by the server. */
  calls?: string
  /** The page's name. */
  page: string
}

/** The package without a bundler. */
export interface HostedCheck {
  name: string
  hosting: Hosting
  browsers?: readonly BrowserName[]
}

/** For tools that bundle scripts alone, and leave the page to the app. */
const plain = (name: string, page: 'script' | 'module'): Fixture => ({
  name,
  sources: ['plain', page],
  app: 'src',
})
const vite = (name: string): Fixture => ({ name, sources: ['plain', 'vite'], app: 'src' })
const react = (name: string): Fixture => ({ name, app: 'src', components: 'react' })
const next = (name: string): Fixture => ({
  name,
  sources: ['next'],
  app: 'app',
  components: 'react',
})

const viteServer =
  (...command: Command) =>
  (port: string): Command => [...command, '--port', port, '--strictPort']
const portOption =
  (...command: Command) =>
  (port: string): Command => [...command, '--port', port]
const portVariable = (port: string) => ({ PORT: port, NITRO_PORT: port })

/** What the error of an old Vite has to name. */
const needsExclude = /optimizeDeps: \{ exclude: \['pagemcp'\] \}/

const vite8: Omit<BundledCheck, 'name' | 'serve'> = {
  fixture: vite('vite8'),
  browsers: browserNames,
}
const vite8Checks: readonly BundledCheck[] = [
  { ...vite8, name: 'vite8 dev', serve: { server: viteServer('vite') } },
  { ...vite8, name: 'vite8 build', build: ['vite', 'build'], serve: { directory: 'dist' } },
  {
    ...vite8,
    name: 'vite8 preview',
    build: ['vite', 'build'],
    serve: { server: viteServer('vite', 'preview') },
  },
  {
    ...vite8,
    name: 'vite8 build, inlined assets',
    build: ['vite', 'build', '--config', 'inline.config.js'],
    serve: { directory: 'dist' },
    worker: 'blob:',
  },
  {
    ...vite8,
    name: 'vite8 build, with Content-Security-Policy and Trusted Types',
    build: ['vite', 'build'],
    serve: { directory: 'dist' },
    headers: strict(`${ownOrigin}; ${trustedTypes}`),
  },
  {
    ...vite8,
    name: 'vite8 build, inlined assets, with Content-Security-Policy and Trusted Types',
    build: ['vite', 'build', '--config', 'inline.config.js'],
    serve: { directory: 'dist' },
    headers: strict(`${inlined}; ${trustedTypes}`),
    worker: 'blob:',
  },
  {
    ...vite8,
    name: 'vite8 build, assets at another origin',
    build: (origin) => ['vite', 'build', '--base', `${origin}/`],
    serve: { directory: 'dist' },
    headers: { 'access-control-allow-origin': '*' },
    worker: 'blob:',
  },
]

const oldVites: readonly BundledCheck[] = ['vite7', 'vite6', 'vite5'].flatMap((name) => [
  {
    name: `${name} build`,
    fixture: vite(name),
    build: ['vite', 'build'],
    serve: { directory: 'dist' },
  },
  {
    name: `${name} dev, with optimizeDeps`,
    fixture: vite(name),
    serve: { server: viteServer('vite', '--config', 'exclude.config.js') },
  },
  {
    name: `${name} dev, without optimizeDeps`,
    fixture: vite(name),
    serve: { server: viteServer('vite') },
    fails: needsExclude,
  },
])

const packs: readonly BundledCheck[] = [
  ['webpack', 'webpack', 'webpack serve'],
  ['rspack', 'rspack build', 'rspack serve'],
].flatMap(([name = '', build = '', server = '']) => {
  const command = (line: string, mode: string) =>
    [...line.split(' '), '--mode', mode, '--entry', './src/main.js'] as unknown as Command
  return [
    ...['production', 'development'].map((mode) => ({
      name: `${name} ${mode}`,
      fixture: plain(name, 'script'),
      build: command(build, mode),
      serve: { directory: 'dist' },
    })),
    {
      name: `${name} serve`,
      fixture: plain(name, 'script'),
      serve: { server: portOption(...command(server, 'development'), '--host', 'localhost') },
    },
  ]
})

const others: readonly BundledCheck[] = [
  {
    name: 'rollup',
    fixture: plain('rollup', 'module'),
    build: ['rollup', '--config'],
    serve: { directory: 'dist' },
  },
  {
    name: 'esbuild, copied files',
    fixture: plain('esbuild', 'module'),
    build: ['node', 'copy.js'],
    serve: { directory: 'dist' },
  },
  {
    name: 'esbuild, urls',
    fixture: plain('esbuild', 'module'),
    build: ['node', 'urls.js'],
    serve: { directory: 'dist' },
  },
  {
    name: 'parcel build',
    fixture: react('parcel'),
    build: ['parcel', 'build', 'index.html'],
    serve: { directory: 'dist' },
    react: true,
  },
  {
    name: 'parcel serve',
    fixture: react('parcel'),
    serve: { server: portOption('parcel', 'serve', 'index.html') },
    react: true,
  },
]

const nextChecks: readonly BundledCheck[] = [
  ['next16', '--turbopack', 'dev'],
  ['next16', '--turbopack', 'build'],
  ['next16', '--webpack', 'dev'],
  ['next16', '--webpack', 'build'],
  ['next15', '', 'build'],
  ['next15', '--turbopack', 'dev'],
].map(([name = '', bundler = '', mode = '']) => {
  const command = ['next', mode, ...(bundler ? [bundler] : [])] as unknown as Command
  return {
    name: `${name} ${bundler.slice(2) || 'webpack'} ${mode}`,
    fixture: next(name),
    ...(mode === 'build' && { build: command }),
    serve: { server: mode === 'dev' ? portOption(...command) : portOption('next', 'start') },
    react: true,
  }
})

const frameworks: readonly BundledCheck[] = [
  {
    name: 'sveltekit dev',
    fixture: { name: 'sveltekit', app: 'src/lib' },
    serve: { server: viteServer('vite', 'dev') },
  },
  {
    name: 'sveltekit build, prerendered',
    fixture: { name: 'sveltekit', app: 'src/lib' },
    build: ['vite', 'build'],
    serve: { directory: 'build' },
  },
  {
    name: 'nuxt dev',
    fixture: { name: 'nuxt', app: 'app' },
    serve: { server: portOption('nuxt', 'dev') },
  },
  {
    name: 'nuxt build',
    fixture: { name: 'nuxt', app: 'app' },
    build: ['nuxt', 'build'],
    serve: { server: () => ['node', '.output/server/index.mjs'], env: portVariable },
  },
  {
    name: 'astro dev',
    fixture: { name: 'astro', app: 'src' },
    serve: { server: portOption('astro', 'dev') },
  },
  {
    name: 'astro build',
    fixture: { name: 'astro', app: 'src' },
    build: ['astro', 'build'],
    serve: { directory: 'dist' },
  },
]

const shop = {
  mistake: 'src/total.ts',
  place: { file: /src\/total\.ts/, line: 13 },
}
const nextShop = {
  fixture: { name: 'next16', sources: ['nextshop'], app: 'app' },
  mistake: 'app/total.js',
  calls: 'app/dev.jsx',
  page: 'shop-dev',
}
const devChecks: readonly DevCheck[] = [
  ...['vite7', 'vite5'].map((name) => ({
    ...shop,
    name: `${name} development mode`,
    fixture: { name, sources: ['shop'], app: 'src' },
    server: viteServer('vite'),
    page: `pagemcp-test-${name}-dev`,
  })),
  {
    ...nextShop,
    name: 'next16 turbopack development mode',
    server: portOption('next', 'dev', '--turbopack'),
    place: { file: /app\/total\.js/, line: 7 },
  },
  {
    ...nextShop,
    name: 'next16 webpack development mode',
    server: portOption('next', 'dev', '--webpack'),
    place: { file: /app\/total\.js/, line: 0 },
  },
]

export const checks: readonly (BundledCheck | HostedCheck | DevCheck)[] = [
  ...hostings.map((hosting) => ({
    name: `no bundler, ${hosting.host}`,
    hosting,
    browsers: browserNames,
  })),
  ...vite8Checks,
  ...oldVites,
  ...packs,
  ...others,
  ...nextChecks,
  ...frameworks,
  ...devChecks,
]
