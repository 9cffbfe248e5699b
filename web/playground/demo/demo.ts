/**
 * The living world: what the in-page demo serves. All of it is real, and in this page: notes are in
 * IndexedDB, tabs are those of this origin beside some that are made up, the form is the one in the
 * pane. It changes by itself at the pace of its knobs, and by hand.
 */

import { type Signal, signal } from '@preact/signals'
import { type PageMcp, start } from 'pagemcp'
import { recordEvent } from '../messages/log.ts'
import { type Notes, openNotes } from './notes.ts'
import { bigList, type Form, serve } from './serve.ts'
import { changePeriodically } from './simulation.ts'
import { changeTab, type FakeTab, navigate } from './tabs.ts'

export interface Demo {
  mcp: PageMcp
  notes: Notes
  /** Counts changes of notes, for who draws them. */
  noted: Signal<number>
  form: Signal<Form>
  writeNote(id: string, text: string): Promise<void>
  setField(name: string, value: string | boolean): void
  setTab(id: string, change: Partial<FakeTab>): void
  navigate(id: string): void
  /** Adds the large list to what is listed, or takes it out. */
  setBigList(on: boolean): void
  /** Adds the worlds of the documents that this project was started from, or takes them out. */
  setSeeds(on: boolean): Promise<void>
  /** Ends all connections, as a server does that goes. */
  closeAll(): void
}

/** What is bought, and how a list of it grows. */
const goods = ['milk', 'apples', 'bread', 'olives', 'lemons', 'tea', 'a map', 'candles']

const ended = new Set<() => void>()
let running: Promise<Demo> | undefined

/** The world of this page; started when it is first asked for. */
export const demo = (): Promise<Demo> => {
  running ??= startDemo()
  return running
}

/** A port to the world's engine, and what to do when the world ends it. */
export async function demoPort(closed: () => void): Promise<MessagePort> {
  const { mcp } = await demo()
  ended.add(closed)
  return mcp.port()
}

async function startDemo(): Promise<Demo> {
  const beside = (file: string) => new URL(file, document.baseURI)
  const mcp = await start({
    name: 'playground',
    title: 'In-page demo',
    version: '1.0.0',
    instructions: 'A small world that lives in this page. It changes while you look.',
    pageSize: 50,
    capabilities: { logging: true },
    cache: { ttlMs: 30_000 },
    urls: { worker: beside('worker.js'), wasm: beside('engine.wasm') },
  })
  // Providers may fail on purpose here; where people look is the timeline.
  mcp.on('error', (error) => {
    recordEvent(`error in the demo: ${error instanceof Error ? error.message : error}`)
  })
  const noted = signal(0)
  const form: Signal<Form> = signal({ name: '', street: '', city: '', express: false })
  const notes = await openNotes((id) => {
    noted.value++
    mcp.changed(`notes://${id}`)
  })
  const setField = (name: string, value: string | boolean) => {
    form.value = { ...form.peek(), [name]: value }
    recordEvent(`form ${name}: ${JSON.stringify(value)}`)
    mcp.changed('form://checkout')
  }
  const writeNote = async (id: string, text: string) => {
    recordEvent(`note ${id}: ${JSON.stringify(text)}`)
    await notes.put(id, text)
  }
  const tabChanged = (uri: string) => {
    recordEvent(`tab ${uri} changed`)
    for (const below of ['', '/screenshot', '/text']) mcp.changed(uri + below)
  }
  serve(mcp, { notes, form: () => form.peek(), setField })

  let turn = 0
  const change = () => {
    turn += 1
    mcp.changed('clock://now')
    if (turn % 3 === 0) tabChanged(navigate(['left', 'middle', 'right'][(turn % 9) / 3] ?? 'left'))
    else writeNote('today', shoppingList(turn))
  }
  changePeriodically(change)

  let takeBig: (() => void) | undefined
  let takeSeeds: (() => void) | undefined
  return {
    mcp,
    notes,
    noted,
    form,
    writeNote,
    setField,
    setTab: (id, changed) => tabChanged(changeTab(id, changed)),
    navigate: (id) => tabChanged(navigate(id)),
    setBigList(on) {
      if (on === (takeBig !== undefined)) return
      recordEvent(on ? `${bigList} resources came` : `${bigList} resources went`)
      takeBig?.()
      takeBig = on
        ? mcp.resources(
            Array.from({ length: bigList }, (_, i) => [
              { uri: `data://big/${i + 1}`, name: `big-${i + 1}`, mimeType: 'text/plain' },
              () => `Number ${i + 1}`,
            ]),
          )
        : undefined
    },
    async setSeeds(on) {
      if (on === (takeSeeds !== undefined)) return
      const { serveExamples } = await import('./document-examples.ts')
      recordEvent(on ? 'the seed documents’ world came' : 'the seed documents’ world went')
      takeSeeds?.()
      takeSeeds = on ? serveExamples(mcp) : undefined
    },
    closeAll() {
      recordEvent('the server closed all connections')
      for (const closed of [...ended]) closed()
      ended.clear()
    },
  }
}

/** Another list at each turn: something comes, something goes. */
function shoppingList(turn: number): string {
  return Array.from({ length: 3 }, (_, i) => goods[(turn + i * 3) % goods.length]).join(', ')
}
