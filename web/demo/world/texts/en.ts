/** Texts of the world, in English: `things` are those of world.json in the page's language, by URI. */

/** A resource, as far as it depends on the language. */
interface ThingTexts {
  name?: string
  title?: string
  description?: string
  text?: string
}

const things: { readonly [uri: string]: ThingTexts } = {
  'beeos://agent/config': {
    name: 'Configuration of the agent',
    description: 'What this agent is called, which model it uses, and what it can do',
  },
  'beeos://agent/skills': {
    name: 'Skills of the agent',
    description: 'One entry for each skill: its name and its purpose',
    text: '[{"name":"web_search","about":"looks things up on the web"},{"name":"summarize","about":"writes a summary"}]',
  },
}

/** By URI template. */
const templates: { readonly [uriTemplate: string]: ThingTexts } = {}

const prompt = {
  description: 'Asks the agent to research a topic and to write a summary',
  topic: 'What to research',
  depth: 'How deep: brief, standard or deep',
  brief: 'Introduce {topic} in three sentences.',
  standard: 'Research {topic}, and write a summary of one page.',
  deep: 'Research {topic} in depth: recent progress, who works on it, where it is used.',
}

export const texts = {
  name: 'A small world',
  description:
    'A small world of files, records, a screen, the weather and an agent, served by a web page over MCP.',
  lead: 'Files of a project, a log that grows, a table, a screen, the weather, and an agent with a prompt: one of each kind of data that MCP resources are made for. Everything is invented, and it changes while you watch.',
  instructions: 'An invented world for trying out resources. It changes while you look.',
  served: 'Served',
  others: 'Templates and prompts',
  now: 'Right now',
  weatherAt: 'Weather at {station}',
  weather: '{condition}, {temperature} °C, {humidity} % humidity',
  conditions: { Clear: 'Clear', Cloudy: 'Cloudy', Rain: 'Rain' } as { [condition: string]: string },
  log: 'Log',
  logOpened: 'the log was opened',
  writeLog: 'Write into the log',
  changeWeather: 'Let the weather change',
  edit: 'Edit {file}',
  addFile: 'Add {file}',
  removeFile: 'Remove {file}',
  changed: 'changed {when}',
  readAt: 'read {when}',
  question: '“What is the weather at station 12345?”',
  contents: 'Contents of {name}',
  things,
  templates,
  prompt,
}

export type WorldTexts = typeof texts
