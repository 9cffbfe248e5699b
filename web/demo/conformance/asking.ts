/** The tools of the suite that send requests to the client: by input_required, or as requests of older revisions. */

import {
  type ElicitAnswer,
  elicit,
  type FormSchema,
  type InputRequest,
  roots,
  type SampleAnswer,
  sample,
} from 'pagemcp'
import type { Register } from './tools.ts'

const form = (
  properties: FormSchema['properties'],
  required: readonly string[] = Object.keys(properties),
): FormSchema => ({ type: 'object', properties, required })

const askName = elicit('What is your name?', form({ name: { type: 'string' } }))
const askOk = elicit('Please confirm', form({ ok: { type: 'boolean' } }))
const ask = (text: string, maxTokens: number) =>
  sample({ messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens })

const field = (answer: ElicitAnswer, name: string) =>
  answer.action === 'accept' ? String(answer.content[name]) : `(${answer.action})`
const said = ({ content }: SampleAnswer) => {
  const first = Array.isArray(content) ? content[0] : content
  return first?.type === 'text' ? first.text : `(${first?.type})`
}

/** Requests for clients of every revision. */
export function serveAsking(tool: Register) {
  tool(
    {
      name: 'test_sampling',
      description: 'Asks the client’s model.',
      inputSchema: {
        type: 'object',
        properties: { prompt: { type: 'string', description: 'What to ask' } },
        required: ['prompt'],
      },
    },
    ({ prompt }, request) => {
      const { reply } = request.need({ reply: ask(String(prompt), 100) })
      return `LLM response: ${said(reply)}`
    },
  )
  tool(
    {
      name: 'test_elicitation',
      description: 'Asks the user for a name and an address.',
      inputSchema: {
        type: 'object',
        properties: { message: { type: 'string', description: 'What to say to the user' } },
        required: ['message'],
      },
    },
    ({ message }, request) => {
      const user = elicit(
        String(message),
        form({
          username: { type: 'string', description: 'Name of the user' },
          email: { type: 'string', description: 'Where mail goes' },
        }),
      )
      return `User response: ${JSON.stringify(request.need({ user }).user)}`
    },
  )
  const completed = ({ action, content }: ElicitAnswer) =>
    `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`
  tool(
    { name: 'test_elicitation_sep1034_defaults', description: 'Asks with a form of defaults.' },
    (_, request) =>
      completed(request.need({ defaults: elicit('Are these right?', defaults) }).defaults),
  )
  tool(
    { name: 'test_elicitation_sep1330_enums', description: 'Asks with a form of choices.' },
    (_, request) => completed(request.need({ choices: elicit('Choose', choices) }).choices),
  )
  tool(
    { name: 'test_streaming_elicitation', description: 'Tells of its progress, then asks.' },
    (_, request) => {
      request.progress(1, 2, 'about to ask')
      return `Hello, ${field(request.need({ user_name: askName }).user_name, 'name')}!`
    },
  )
  tool(
    { name: 'test_missing_capability', description: 'Needs a client that can sample.' },
    (_, request) => `Sampled: ${said(request.need({ reply: ask('Say hello', 20) }).reply)}`,
  )
}

/** Tools of the suite for 2026-07-28; clients of other revisions can call them as well. */
export function serveRounds(tool: Register) {
  const prefix = 'test_input_required_result'
  tool({ name: `${prefix}_elicitation`, description: 'Asks for a name.' }, (_, request) => {
    const { user_name } = request.need({ user_name: askName })
    return `Hello, ${field(user_name, 'name')}!`
  })
  tool(
    { name: `${prefix}_sampling`, description: 'Asks the model for a capital.' },
    (_, request) => {
      const { capital_question } = request.need({
        capital_question: ask('What is the capital of France?', 100),
      })
      return `The model says: ${said(capital_question)}`
    },
  )
  tool({ name: `${prefix}_list_roots`, description: 'Asks for the roots.' }, (_, request) => {
    const { client_roots } = request.need({ client_roots: roots() })
    return `Roots: ${client_roots.roots.map(({ uri }) => uri).join(', ') || 'none'}`
  })
  tool({ name: `${prefix}_request_state`, description: 'Gets its state back.' }, (_, request) => {
    const { confirm } = request.need({ confirm: askOk }, { since: 'the first round' })
    const kept = JSON.stringify(request.state) === '{"since":"the first round"}'
    return `${kept ? 'state-ok' : 'no state'}, confirmed: ${field(confirm, 'ok')}`
  })
  tool(
    { name: `${prefix}_multiple_inputs`, description: 'Asks for three things.' },
    (_, request) => {
      const { user_name, greeting, client_roots } = request.need(
        { user_name: askName, greeting: ask('Generate a greeting', 50), client_roots: roots() },
        { asked: 3 },
      )
      return `${said(greeting)} ${field(user_name, 'name')}, of ${client_roots.roots.length} roots`
    },
  )
  tool({ name: `${prefix}_multi_round`, description: 'Asks twice.' }, (_, request) => {
    const step1 = elicit('Step 1: What is your name?', form({ name: { type: 'string' } }))
    const first = request.need({ step1 }, { round: 1 })
    const step2 = elicit(
      'Step 2: What is your favorite color?',
      form({ color: { type: 'string' } }),
    )
    const second = request.need({ step2 }, { round: 2 })
    return `${field(first.step1, 'name')} likes ${field(second.step2, 'color')}.`
  })
  tool(
    { name: `${prefix}_tampered_state`, description: 'Its state must come back unchanged.' },
    (_, request) => {
      const { confirm } = request.need({ confirm: askOk }, { amount: 12 })
      return `Confirmed: ${field(confirm, 'ok')}`
    },
  )
  tool(
    { name: `${prefix}_capabilities`, description: 'Asks what the client says it can answer.' },
    (_, request) => {
      const wanted: { [key: string]: InputRequest } = {}
      const { sampling, elicitation, roots: rooted } = request.client.capabilities
      if (sampling) wanted.model = ask('Say hello', 20)
      if (elicitation) wanted.user = askName
      if (rooted) wanted.folders = roots()
      return `Answered: ${Object.keys(request.need(wanted)).join(', ') || 'nothing was asked'}`
    },
  )
}

const defaults: FormSchema = form(
  {
    name: { type: 'string', default: 'John Doe' },
    age: { type: 'integer', default: 30 },
    score: { type: 'number', default: 95.5 },
    status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', default: true },
  },
  [],
)

const options = ['option1', 'option2', 'option3']
const titled = [
  { const: 'value1', title: 'First option' },
  { const: 'value2', title: 'Second option' },
  { const: 'value3', title: 'Third option' },
]
const choices: FormSchema = form(
  {
    untitledSingle: { type: 'string', enum: options },
    titledSingle: { type: 'string', oneOf: titled },
    legacyEnum: {
      type: 'string',
      enum: ['opt1', 'opt2', 'opt3'],
      enumNames: ['Option one', 'Option two', 'Option three'],
    },
    untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
    titledMulti: { type: 'array', items: { anyOf: titled } },
  },
  [],
)
