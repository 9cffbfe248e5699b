/**
 * The demo server. Its data is in this page: notes are in IndexedDB, tabs are those of this origin beside
 * simulated ones, the form is the one in the panel. The data changes automatically at the chosen rate, and by
 * hand.
 */

import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { type PageMcp, start } from 'pagemcp'
import { recordEvent } from '../messages/log.ts'
import { demoContents, listOf } from './contents.ts'
import { type Notes, openNotes } from './notes.ts'
import { bigList, type FieldValue, type Form, serve } from './serve.ts'
import { changePeriodically } from './simulation.ts'
import { changeTab, type FakeTab, navigate } from './tabs.ts'

export interface Demo {
  mcp: PageMcp
  notes: Notes
  /** Counts changes of notes, for components that show them. */
  noted: Signal<number>
  form: Signal<Form>
  writeNote(id: string, text: string): Promise<void>
  setField(name: string, value: FieldValue): void
  setTab(id: string, change: Partial<FakeTab>): void
  navigate(id: string): void
  /** Whether the large list is in the listing. */
  hasBigList: ReadonlySignal<boolean>
  setBigList(on: boolean): void
  /** Closes all connections, as a server that shuts down. */
  closeAll(): void
}

const ended = new Set<() => void>()
let running: Promise<Demo> | undefined

/** The demo of this page; started at the first call. */
export const demo = (): Promise<Demo> => {
  running ??= startDemo()
  return running
}

/** A port to the demo's engine. `closed` is called when the demo closes the connection. */
export async function demoPort(closed: () => void): Promise<MessagePort> {
  const { mcp } = await demo()
  ended.add(closed)
  return mcp.port()
}

async function startDemo(): Promise<Demo> {
  const beside = (file: string) => new URL(file, document.baseURI)
  const mcp = start({
    name: 'playground',
    access: 'open', // a demo, wherever it is served
    title: demoContents().server,
    version: '1.0.0',
    instructions: 'A small world that lives in this page. It changes while you look.',
    pageSize: 50,
    capabilities: { logging: true },
    cache: { ttlMs: 30_000 },
    urls: { worker: beside('worker.js'), wasm: beside('engine.wasm') },
  })
  await mcp.ready
  // Reads fail on purpose here, so errors go to the timeline instead of the console.
  mcp.on('error', (error) => {
    recordEvent(`error in the demo: ${error instanceof Error ? error.message : error}`)
  })
  const noted = signal(0)
  const form: Signal<Form> = signal({
    items: 1,
    name: '',
    street: '',
    city: '',
    express: false,
  })
  const notes = await openNotes((id) => {
    noted.value++
    mcp.changed(`notes://${id}`)
  })
  const setField = (name: string, value: FieldValue) => {
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

  const hasBigList = signal(false)
  let takeBig = () => {}
  return {
    mcp,
    notes,
    noted,
    form,
    writeNote,
    setField,
    setTab: (id, changed) => tabChanged(changeTab(id, changed)),
    navigate: (id) => tabChanged(navigate(id)),
    hasBigList,
    setBigList(on) {
      if (on === hasBigList.peek()) return
      hasBigList.value = on
      recordEvent(on ? `${bigList} resources added` : `${bigList} resources removed`)
      if (!on) return takeBig()
      takeBig = mcp.resources(
        Array.from({ length: bigList }, (_, i) => [
          { uri: `data://big/${i + 1}`, name: `big-${i + 1}`, mimeType: 'text/plain' },
          () => `Number ${i + 1}`,
        ]),
      )
    },
    closeAll() {
      recordEvent('the server closed all connections')
      for (const closed of [...ended]) closed()
      ended.clear()
    },
  }
}

/** The list of a turn: each time an item is added and one removed. */
function shoppingList(turn: number): string {
  return listOf(turn, turn + 3, turn + 6)
}
