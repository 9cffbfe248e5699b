// What is in the artifacts of a release, read by other programs than those that wrote them.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import {
  artifact,
  dist,
  type Entry,
  emptyDirectory,
  platforms,
  read,
  root,
  unpack,
  version,
} from './release.ts'

const text = (name: string): string => readFileSync(artifact(name), 'utf8')
const json = (name: string) => JSON.parse(text(name))
const modules = join(root, 'web/node_modules')

const extensions = [`pagemcp-extension-${version}.zip`, `pagemcp-extension-firefox-${version}.zip`]
const webArchives = [...extensions, `pagemcp-playground-${version}.zip`]

function member(entries: readonly Entry[], path: string): Entry {
  const found = entries.find((entry) => entry.path === path)
  assert.ok(found, `${path} is not among ${entries.map((entry) => entry.path)}`)
  return found
}

const modesOf = (entries: readonly Entry[]) =>
  entries.filter(({ mode }) => mode !== 0o644).map(({ path, mode }) => [path, mode])

test('SHA256SUMS has the hash of each file', () => {
  const sums = execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: dist, encoding: 'utf8' })
  const names = [...sums.matchAll(/^(.+): OK$/gm)].map(([, name]) => name)
  const wanted = [
    ...platforms.map(({ archive }) => archive),
    ...webArchives,
    `pagemcp-${version}.mcpb`,
  ]
  for (const name of wanted) assert.ok(names.includes(name), name)
})

test('archives have the program, licences and completions', () => {
  for (const { name, archive, program, folder: top } of platforms) {
    const entries = read(archive).filter(({ path }) => !path.endsWith('/'))
    const folder = `${top}/`
    assert.ok(entries.every(({ path }) => path.startsWith(folder)))
    assert.deepEqual(modesOf(entries), [[folder + program, 0o755]])
    const { body } = member(entries, folder + program)
    const magic = { darwin: 'cffaedfe', linux: '7f454c46', windows: '4d5a' }[
      name.split('_')[0] ?? ''
    ]
    assert.ok(magic && body.toString('hex', 0, 4).startsWith(magic), name)
    assert.equal(body.includes(root), false, `the program for ${name} names ${root}`)
    for (const file of ['pagemcp.bash', 'pagemcp.zsh', 'pagemcp.fish', 'pagemcp.powershell']) {
      assert.match(String(member(entries, `${folder}completions/${file}`).body), /__complete/)
    }
    assert.match(String(member(entries, `${folder}LICENSE`).body), /^MIT License/)
    assert.match(String(member(entries, `${folder}THIRD-PARTY-NOTICES.txt`).body), /\npreact 1/)
  }
})

test('the lists of components have the modules of each program, and no tool of the build', () => {
  for (const { archive, program, folder } of platforms) {
    const file = join(unpack(archive), folder, program)
    const info = execFileSync('go', ['version', '-m', file], { encoding: 'utf8' })
    const listed = json(`${folder}.cdx.json`).components.map(
      (one: { name: string; version: string }) => `${one.name} ${one.version}`,
    )
    const modules = [...info.matchAll(/^\tdep\t(\S+)\t(\S+)/gm)]
    assert.ok(modules.length > 5, archive)
    for (const [, module, at] of modules) assert.ok(listed.includes(`${module} ${at}`), module)
    assert.doesNotMatch(info, /esbuild/)
  }
  const web = json(`pagemcp-web-${version}.cdx.json`)
  assert.ok(web.components.some((one: { name: string }) => one.name === 'preact'))
})

const tarballs = [`npm/pagemcp-${version}.tgz`, ...platforms.map(({ tarball }) => tarball)]

for (const name of tarballs) {
  test(`publint finds nothing in ${name}`, async () => {
    const pkgDir = join(unpack(name), 'package')
    const manifest = JSON.parse(readFileSync(join(pkgDir, 'package.json'), 'utf8'))
    const { messages } = await publint({ pkgDir, strict: true, pack: false })
    assert.deepEqual(
      messages.map((message) => formatMessage(message, manifest, { color: false })),
      [],
    )
    for (const field of ['scripts', 'dependencies', 'devDependencies', 'private']) {
      assert.equal(field in manifest, false, field)
    }
    assert.equal(manifest.version, version)
  })
}

test('attw finds nothing in the package', () => {
  const cli = join(modules, '@arethetypeswrong/cli/dist/index.js')
  const flags = ['--profile', 'esm-only', '--exclude-entrypoints', 'engine.wasm', 'worker.js']
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [cli, artifact(`npm/pagemcp-${version}.tgz`), ...flags, '--no-color'],
    { encoding: 'utf8', timeout: 200_000 },
  )
  assert.equal(status, 0, stdout + stderr)
})

test('the package needs the platform packages of its version, which are for one platform each', () => {
  const main = read(`npm/pagemcp-${version}.tgz`)
  const manifest = JSON.parse(String(member(main, 'package/package.json').body))
  assert.deepEqual(
    manifest.optionalDependencies,
    Object.fromEntries(platforms.map(({ npm }) => [`@pagemcp/${npm}`, version])),
  )
  assert.deepEqual(manifest.bin, { pagemcp: './bin/pagemcp.js' })
  assert.deepEqual(modesOf(main), [['package/bin/pagemcp.js', 0o755]])
  assert.equal(manifest.repository.url, 'git+https://github.com/pagemcp/pagemcp.git')
  for (const { npm, tarball, program } of platforms) {
    const entries = read(tarball)
    const own = JSON.parse(String(member(entries, 'package/package.json').body))
    const [os, cpu] = npm.split('-')
    assert.deepEqual([own.name, own.os, own.cpu], [`@pagemcp/${npm}`, [os], [cpu]])
    assert.deepEqual([own.type, own.preferUnplugged], ['commonjs', true])
    assert.deepEqual(own.repository, manifest.repository) // npm compares it with the provenance
    assert.deepEqual(modesOf(entries), [[`package/bin/${program}`, 0o755]])
  }
})

test('the programs of archive and package are the same', () => {
  for (const { archive, tarball, program } of platforms) {
    const one = read(archive).find(({ path }) => path.split('/').at(-1) === program)
    const other = member(read(tarball), `package/bin/${program}`)
    assert.ok(one?.body.equals(other.body), archive)
  }
})

test('server.json describes the packed package', () => {
  const entry = json('server.json')
  const packed = read(`npm/pagemcp-${version}.tgz`)
  const manifest = JSON.parse(String(member(packed, 'package/package.json').body))
  assert.equal(entry.name, manifest.mcpName)
  assert.match(entry.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
  assert.ok(entry.description.length > 0 && entry.description.length <= 100)
  assert.ok(entry.title.length <= 100)
  assert.deepEqual(
    [entry.version, entry.packages.length, entry.packages[0].version],
    [version, 1, version],
  )
  const { registryType, identifier, transport, packageArguments } = entry.packages[0]
  assert.deepEqual([registryType, identifier], ['npm', manifest.name])
  assert.deepEqual(transport, { type: 'stdio' })
  assert.deepEqual(packageArguments, [{ type: 'positional', value: 'stdio' }])
})

test('the notes are the section of the changelog', () => {
  const changelog = readFileSync(join(root, 'web/CHANGELOG.md'), 'utf8')
  const [changes = '', install] = text('NOTES.md').split('\n\n## Install\n')
  assert.ok(changes.length > 100 && changelog.includes(changes) && install)
})

test('the formula has URL and hash of each archive for macOS and Linux', () => {
  const formula = text('homebrew/pagemcp.rb')
  const sums = new Map(
    text('SHA256SUMS')
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  )
  const found = [...formula.matchAll(/url "(\S+)\/(\S+)"\n\s+sha256 "(\w+)"/g)]
  assert.equal(found.length, 4)
  for (const [, base, name = '', hash] of found) {
    assert.equal(base, `https://github.com/pagemcp/pagemcp/releases/download/v${version}`)
    assert.equal(hash, sums.get(name), name)
  }
  const archive = read(`pagemcp_${version}_darwin_arm64.tar.gz`)
  for (const [, path] of formula.matchAll(/_completion\.install "(\S+)"/g)) {
    member(archive, `pagemcp_${version}_darwin_arm64/${path}`)
  }
})

test('the bundle for Claude Desktop is valid, and has a program for each system', () => {
  const entries = read(`pagemcp-${version}.mcpb`)
  const directory = emptyDirectory()
  for (const { path, body } of entries) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), body)
  }
  const cli = join(modules, '@anthropic-ai/mcpb/dist/cli/cli.js')
  const { stdout, stderr, status } = spawnSync(process.execPath, [cli, 'validate', directory], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  assert.equal(status, 0, stdout + stderr)
  assert.deepEqual(modesOf(entries), [
    ['server/pagemcp', 0o755],
    ['server/pagemcp.exe', 0o755],
  ])
  const universal = member(entries, 'server/pagemcp').body
  assert.deepEqual([universal.readUInt32BE(0), universal.readUInt32BE(4)], [0xcafebabe, 2])
  for (const [at, name] of [
    [8, 'darwin_amd64'],
    [28, 'darwin_arm64'],
  ] as const) {
    const [offset, size] = [universal.readUInt32BE(at + 8), universal.readUInt32BE(at + 12)]
    const own = platforms.find((platform) => platform.name === name)
    const program = read(own?.archive ?? '').find(({ path }) => path.endsWith('/pagemcp'))
    assert.ok(program?.body.equals(universal.subarray(offset, offset + size)), name)
  }
  const { server, version: own } = JSON.parse(String(member(entries, 'manifest.json').body))
  assert.equal(own, version)
  for (const { command } of [server.mcp_config, server.mcp_config.platform_overrides.win32]) {
    member(entries, command.replace(`$${'{__dirname}'}/`, ''))
  }
})

test('the extensions have the version, what their browser starts, and else the same files', () => {
  const own = /^(?:manifest\.json|(?:background|popup|offscreen)\.js|offscreen\.html)$/
  const [chromium = [], firefox = []] = extensions.map((name) => read(name))
  const common = (entries: readonly Entry[]) => entries.filter(({ path }) => !own.test(path))
  assert.deepEqual(
    common(firefox).map(({ path, body }) => [path, body.length]),
    common(chromium).map(({ path, body }) => [path, body.length]),
  )
  for (const entries of [chromium, firefox]) {
    const manifest = JSON.parse(String(member(entries, 'manifest.json').body))
    assert.equal(manifest.version, version)
    assert.deepEqual(modesOf(entries), [])
    const { service_worker, scripts = [service_worker] } = manifest.background
    for (const path of [
      ...scripts,
      manifest.action.default_popup,
      'LICENSE',
      'pagemcp/engine.wasm',
    ]) {
      member(entries, path)
    }
    const isFirefox = entries === firefox
    assert.equal('browser_specific_settings' in manifest, isFirefox)
    assert.equal(manifest.permissions.includes('offscreen'), !isFirefox)
    assert.equal(
      entries.some(({ path }) => path.startsWith('offscreen')),
      !isFirefox,
    )
  }
})

test('the plugin of Claude Code starts this version', () => {
  const folder = artifact('repository')
  const marketplace = JSON.parse(
    readFileSync(join(folder, '.claude-plugin/marketplace.json'), 'utf8'),
  )
  const [plugin] = marketplace.plugins
  const manifest = JSON.parse(
    readFileSync(join(folder, plugin.source, '.claude-plugin/plugin.json'), 'utf8'),
  )
  assert.deepEqual([plugin.name, manifest.version], [manifest.name, version])
  assert.deepEqual(manifest.mcpServers.pagemcp, {
    command: 'npx',
    args: ['-y', `pagemcp@${version}`, 'stdio', '--as', 'claude-code'],
  })
  const [monitor] = manifest.experimental.monitors
  assert.equal(monitor.command, `npx -y pagemcp@${version} watch --as claude-code`)
  const skill = monitor.when.replace(/^on-skill-invoke:/, '')
  const text = readFileSync(join(folder, plugin.source, 'skills', skill, 'SKILL.md'), 'utf8')
  assert.match(text, new RegExp(`^---\nname: ${skill}\ndescription: .{40,}\n---\n`))
})

test('documents of a release name what it publishes', () => {
  for (const name of ['repository/README.md', 'NOTES.md']) {
    const text = readFileSync(artifact(name), 'utf8')
    assert.match(text, /npx pagemcp dev/)
    assert.match(text, /\[VS Code\]: https:\/\/vscode\.dev\/redirect/)
    assert.doesNotMatch(text, /not released yet|<!-- until/i)
  }
})
