/** Collects frames of two windows, and writes into the window of the assistant. */

import type { Page } from 'puppeteer-core'
import type { Frame } from './animation.ts'
import { draw } from './stage.ts'

export interface Recorder {
  readonly frames: readonly Frame[]
  /** Shows what is in both windows now for so many ms. */
  show(duration: number): Promise<void>
  /** Adds a bubble of the conversation. */
  say(who: 'user' | 'assistant', text: string): Promise<void>
  /** Adds a line for a message of the protocol. */
  message(direction: 'out' | 'in', method: string, note: string): Promise<void>
  /** Sets what the user has typed for the assistant. */
  type(text: string): Promise<void>
}

export function recorderOf(app: Page, assistant: Page, stage: Page): Recorder {
  const frames: Frame[] = []
  return {
    frames,
    async show(duration) {
      const options = { type: 'png', encoding: 'base64' } as const
      const shots = [await app.screenshot(options), await assistant.screenshot(options)] as const
      const drawn = await draw(stage, ...shots)
      const last = frames.at(-1)
      if (drawn) frames.push({ ...drawn, duration })
      else if (last) last.duration += duration
    },
    say: (who, text) =>
      assistant.evaluate(
        (who, text) => {
          const said = document.createElement('div')
          said.className = who
          said.textContent = text
          document.querySelector('#talk')?.append(said)
        },
        who,
        text,
      ),
    message: (direction, method, note) =>
      assistant.evaluate(
        (direction, method, note) => {
          const line = document.createElement('div')
          line.className = `message ${direction}`
          const arrow = document.createElement('b')
          arrow.textContent = direction === 'out' ? '→' : '←'
          const small = document.createElement('small')
          small.textContent = note
          line.append(arrow, method, small)
          document.querySelector('#talk')?.append(line)
        },
        direction,
        method,
        note,
      ),
    type: (text) =>
      assistant.$eval(
        '#field',
        (field, text) => {
          field.textContent = text || 'Ask about your notes'
          field.classList.toggle('typed', text !== '')
        },
        text,
      ),
  }
}
