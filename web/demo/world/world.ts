/**
 * A world: the served data, which the transcripts seed-*.txtar use as well, and its changes. Each resource of
 * world.json is in the language of the document that it comes from. The demo imports the file, and the playground,
 * whose visitors rarely need it, fetches it.
 */

import type { Resource } from 'pagemcp'
import type { WorldTexts } from './texts/en.ts'
import type data from './world.json'

/** A resource. */
export interface Thing extends Resource {
  text?: string
  /** Base64. */
  blob?: string
}

/** URIs of resources that change. */
export const main = 'file:///project/src/main.rs'
export const log = 'file:///logs/app.log'
export const station = '12345'
export const weatherUri = `weather://data/${station}`

/** Content of world.json. */
type WorldData = typeof data

export interface World {
  /** Descriptions of the templates. */
  readonly templates: WorldData['templates']
  /** Descriptions of the prompts, with their texts by depth. */
  readonly prompts: WorldData['prompts']
  /** All resources, in order. */
  all(): Thing[]
  thing(uri: string): Thing | undefined
  /** The present content of a URI, or `undefined`. */
  contentOf(uri: string): string | Uint8Array<ArrayBuffer> | undefined
  /** The paths of the files, such as `project/src/main.rs`. */
  paths(): string[]
  write(uri: string, text: string): void
}

/** A world with this data. */
export function worldOf({ resources, templates, prompts }: WorldData): World {
  const things = new Map((resources as Thing[]).map((thing) => [thing.uri, thing]))
  return {
    templates,
    prompts,
    all: () => [...things.values()],
    thing: (uri) => things.get(uri),
    contentOf(uri) {
      const thing = things.get(uri)
      if (thing?.blob === undefined) return thing?.text
      return Uint8Array.from(atob(thing.blob), (letter) => letter.charCodeAt(0))
    },
    paths: () =>
      [...things.keys()].flatMap(
        (uri) => (/^file:\/\/\/(.*[^/])$/.exec(uri)?.[1] ?? []) as string[],
      ),
    write(uri, text) {
      const thing = things.get(uri)
      if (thing === undefined) throw new Error(`there is no ${uri}`)
      thing.text = text
      if (thing.size !== undefined) thing.size = new TextEncoder().encode(text).length
    },
  }
}

/** The description of a resource, without its content. */
export function described({ text, blob, ...description }: Thing): Resource {
  return description
}

/** Translates the resources; returns the templates, and the prompt with its texts by depth. */
export function translate(
  { all, write, templates, prompts }: World,
  { things: translations, templates: named, prompt }: WorldTexts,
) {
  for (const thing of all()) {
    const { text, ...description } = translations[thing.uri] ?? {}
    Object.assign(thing, description)
    if (text !== undefined) write(thing.uri, text)
  }
  const { topic, depth, description, ...depths } = prompt
  const about: { readonly [argument: string]: string } = { topic, depth }
  return {
    templates: templates.map((one) => ({ ...one, ...named[one.uriTemplate] })),
    prompts: prompts.map((one) => ({
      ...one,
      description,
      arguments: one.arguments.map((argument) => ({
        ...argument,
        description: about[argument.name] ?? argument.description,
      })),
      depths,
    })),
  }
}

/** The weather of a station. */
export interface Weather {
  temperature: number
  humidity: number
  condition: string
}

/** The next step: warmer and drier up to 30 °C, then from the start. */
export function next({ temperature, humidity }: Weather): Weather {
  const warmer = temperature >= 30 ? 18 : temperature + 1
  const condition = warmer > 26 ? 'Cloudy' : warmer < 20 ? 'Rain' : 'Clear'
  return { temperature: warmer, humidity: humidity <= 40 ? 75 : humidity - 2, condition }
}

/** The weather of a station that has no record of its own: the same for the same number. */
export function guess(name: string): Weather {
  const number = Number(name)
  return { temperature: 5 + (number % 25), humidity: 40 + (number % 50), condition: 'Clear' }
}
