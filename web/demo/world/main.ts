/** Serves a small world, and lets it change: by itself, and by four buttons. */

import { type PageMcp, start } from 'pagemcp'
import { element, make, showFailure, showPage } from '../shared/page.ts'
import { panel, showQuestion } from '../shared/panel.ts'
import { say } from '../shared/texts.ts'
import { served } from './served.ts'
import { serveSkill } from './skill.ts'
import { texts } from './texts.ts'
import { addThing, happened, removeThing } from './things.ts'
import * as world from './world.ts'

showPage('world', texts)
showQuestion(texts.question)
const { templates, prompts } = world.translate(served, texts)
let weather = JSON.parse(String(served.contentOf(world.weatherUri))) as world.Weather
served.write(world.weatherUri, weatherText(weather))

/** How often the log grows and the weather changes by themselves. */
const period = 20_000 // ms

function serve(mcp: PageMcp) {
  const { noted } = panel(mcp)
  mcp.on('read', ({ uri }) => happened(uri, 'read'))
  for (const { uri } of served.all()) publish(mcp, uri)
  const [files, stations] = templates
  if (files === undefined || stations === undefined) throw new Error('world.json lacks a template')
  mcp.resources(files.uriTemplate, {
    ...files,
    complete: { path: served.paths() },
    read: ({ path }) => served.contentOf(`file:///${path}`),
  })
  mcp.resources(stations.uriTemplate, {
    ...stations,
    complete: { station: ['12345', '12346', '54321'] },
    read: ({ station }) =>
      /^\d{5}$/.test(String(station)) ? weatherText(world.guess(String(station))) : undefined,
  })
  for (const { depths, ...prompt } of prompts) {
    const byDepth: { readonly [depth: string]: string } = depths
    mcp.prompt(
      prompt.name,
      { ...prompt, complete: { depth: Object.keys(depths) } },
      noted('prompt', prompt.name, ({ topic = '', depth = 'standard' }) =>
        say(byDepth[depth] ?? depths.standard, { topic }),
      ),
    )
  }
  serveSkill(mcp)
  letItLive(mcp)
}

function publish(mcp: PageMcp, uri: string) {
  const thing = served.thing(uri)
  if (thing) mcp.resource(uri, world.described(thing), () => served.contentOf(uri))
}

function letItLive(mcp: PageMcp) {
  const changed = (uri: string) => {
    mcp.changed(uri)
    happened(uri, 'changed')
    show()
  }
  const writeLog = () => {
    const time = new Date().toISOString().slice(11, 19)
    served.write(world.log, `${served.contentOf(world.log)}${time} ${texts.logOpened}\n`)
    changed(world.log)
  }
  const changeWeather = () => {
    weather = world.next(weather)
    served.write(world.weatherUri, weatherText(weather))
    changed(world.weatherUri)
  }
  let edits = 0
  const edit = () => {
    edits += 1
    served.write(world.main, `fn main() {\n    println!("Hello for the ${edits + 1}. time!");\n}\n`)
    publish(mcp, world.main) // its size is in the list
    changed(world.main)
  }
  const uri = 'file:///project/build.log'
  let remove: (() => void) | undefined
  const toggleFile = () => {
    if (remove === undefined) {
      const file = { uri, name: 'build.log', mimeType: 'text/plain' }
      remove = mcp.resource(file.uri, file, () => 'done\n')
      addThing(file)
      happened(uri, 'changed')
    } else {
      remove()
      removeThing(uri)
      remove = undefined
    }
    showFileButton(remove !== undefined)
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
}

function showFileButton(isThere: boolean) {
  const button = element('act-file')
  button.textContent = say(isThere ? texts.removeFile : texts.addFile, { file: 'build.log' })
  button.ariaPressed = String(isThere)
}

/** The resource of a weather, in the language of the page. */
function weatherText({ condition, ...rest }: world.Weather): string {
  return JSON.stringify({ ...rest, condition: texts.conditions[condition] ?? condition })
}

function show() {
  const lines = String(served.contentOf(world.log)).trimEnd().split('\n')
  element('app-log').textContent = lines.slice(-4).join('\n')
  const { temperature, humidity, condition } = weather
  element('weather').textContent = say(texts.weather, {
    condition: texts.conditions[condition] ?? condition,
    temperature,
    humidity,
  })
}

for (const thing of served.all()) addThing(thing)
element('others').append(
  ...[...templates.map(({ uriTemplate }) => uriTemplate), ...prompts.map(({ name }) => name)].map(
    (name) => make('code', 'badge', name),
  ),
)
element('weather-at').textContent = say(texts.weatherAt, { station: world.station })
element('act-edit').textContent = say(texts.edit, { file: 'main.rs' })
showFileButton(false)
show()

try {
  const mcp = start({
    name: 'world',
    access: 'open', // a demo, wherever it is served
    title: texts.name,
    version: '1.0.0',
    instructions: texts.instructions,
    pageSize: 10, // so that a list has a second page; with the gateway if it runs with --page-size 10
  })
  await mcp.ready
  serve(mcp)
} catch (error) {
  showFailure(error)
  throw error
}
