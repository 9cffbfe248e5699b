/** Serves a small world, and lets it change: by itself, and by four buttons. */

import { type PageMcp, start } from 'pagemcp'
import { element, make, panel, showFailure } from '../shared/panel.ts'
import * as world from './world.ts'

/** How often the log grows and the weather changes by themselves. */
const period = 20_000 // ms

function serve(mcp: PageMcp) {
  const { noted } = panel(mcp)
  for (const { uri } of world.all()) publish(mcp, uri)
  const [files, weather] = world.templates
  if (files === undefined || weather === undefined) throw new Error('world.json lacks a template')
  mcp.template({ ...files, complete: { path: world.paths() } }, ({ path }) =>
    world.contentOf(`file:///${path}`),
  )
  mcp.template({ ...weather, complete: { station: ['12345', '12346', '54321'] } }, ({ station }) =>
    /^\d{5}$/.test(String(station)) ? world.guess(String(station)) : undefined,
  )
  for (const { depths, ...prompt } of world.prompts) {
    const texts: { readonly [depth: string]: string } = depths
    mcp.prompt(
      { ...prompt, complete: { depth: Object.keys(texts) } },
      noted('prompt', prompt.name, ({ topic = '', depth = 'standard' }) =>
        (texts[depth] ?? texts.standard ?? '').replace('{topic}', () => topic),
      ),
    )
  }
  element('others').append(
    ...[
      ...world.templates.map(({ uriTemplate }) => uriTemplate),
      ...world.prompts.map(({ name }) => name),
    ].map((name) => make('li', '', make('code', '', name))),
  )
  letItLive(mcp)
}

function publish(mcp: PageMcp, uri: string) {
  const thing = world.thing(uri)
  if (thing) mcp.resource(world.described(thing), () => world.contentOf(uri))
}

function letItLive(mcp: PageMcp) {
  const changed = (uri: string) => {
    mcp.changed(uri)
    show()
  }
  const writeLog = () => {
    const time = new Date().toISOString().slice(11, 19)
    world.write(world.log, `${world.contentOf(world.log)}${time} the log was opened\n`)
    changed(world.log)
  }
  const changeWeather = () => {
    const now = JSON.parse(String(world.contentOf(world.weatherUri))) as world.Weather
    world.write(world.weatherUri, JSON.stringify(world.next(now)))
    changed(world.weatherUri)
  }
  let edits = 0
  const edit = () => {
    edits += 1
    world.write(world.main, `fn main() {\n    println!("Hello for the ${edits + 1}. time!");\n}\n`)
    publish(mcp, world.main) // its size is in the list
    changed(world.main)
  }
  let remove: (() => void) | undefined
  const toggleFile = () => {
    const button = element<HTMLButtonElement>('act-file')
    if (remove === undefined) {
      const uri = 'file:///project/build.log'
      remove = mcp.resource({ uri, name: 'build.log', mimeType: 'text/plain' }, () => 'done\n')
    } else {
      remove()
      remove = undefined
    }
    button.textContent = remove === undefined ? 'Add build.log' : 'Remove build.log'
    button.ariaPressed = String(remove !== undefined)
  }
  const acts = {
    'act-log': writeLog,
    'act-weather': changeWeather,
    'act-edit': edit,
    'act-file': toggleFile,
  }
  for (const [id, act] of Object.entries(acts)) element(id).addEventListener('click', act)
  setInterval(() => {
    writeLog()
    changeWeather()
  }, period)
  show()
}

function show() {
  element('things').replaceChildren(
    ...world
      .all()
      .map(({ uri, name, title, mimeType }) =>
        make(
          'li',
          '',
          make('strong', '', title ?? name),
          make('span', '', mimeType ?? ''),
          make('code', '', uri),
        ),
      ),
  )
  const lines = String(world.contentOf(world.log)).trimEnd().split('\n')
  element('app-log').textContent = lines.slice(-4).join('\n')
  const { temperature, humidity, condition } = JSON.parse(
    String(world.contentOf(world.weatherUri)),
  ) as world.Weather
  element('weather').textContent = `${condition}, ${temperature} °C, ${humidity} % humidity`
}

try {
  serve(
    await start({
      name: 'world',
      title: 'A small world',
      version: '1.0.0',
      instructions: 'An invented world for trying out resources. It changes while you look.',
    }),
  )
} catch (error) {
  showFailure(error)
  throw error
}
