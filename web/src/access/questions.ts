/**
 * The questions to the user over all tabs of an app: one for each assistant and right, and one for each call of a
 * destructive tool; at most one is shown at a time.
 *
 * A tab that is hidden marks its title and tells the others; one that is visible shows the question for it. Who shows
 * one holds a Web Lock. Answers are stored before the lock is released: the next tab reads them before it shows its own, so
 * that no question is shown twice.
 */

import type { AccessAnswer, AccessRequest } from '../access-types.ts'
import type { Choice } from './dialog.ts'
import { type Asked, askedOf, isShowable } from './shown.ts'
import { refusalWords, unansweredWords } from './words.ts'

/** How long a request waits for the user, ms: clients give up after 60 s. */
export const waitTime = 45_000

/** How many refusals end all questions about an assistant until the page is loaded again. */
export const maxRefusals = 3

/** What stands before the title of a page that waits to be looked at. */
export const titleMark = '(?) '

/** Messages between the tabs of an app. */
export type QuestionMessage =
  /** A hidden tab has a question. */
  | { readonly kind: 'asked'; readonly tab: string; readonly key: string; readonly asked: Asked }
  /** Nobody waits for it there any more. */
  | { readonly kind: 'left'; readonly tab: string; readonly key: string }
  /** It has been answered, and the answer is stored. */
  | {
      readonly kind: 'answered'
      readonly key: string
      readonly assistant: string
      readonly choice: Choice
    }
  /** A tab is visible now: who has a question? */
  | { readonly kind: 'looking' }

export interface QuestionHost {
  /** Of this tab. */
  readonly tab: string
  readonly post: (message: QuestionMessage) => void
  readonly isVisible: () => boolean
  /** Sets or removes the mark of the title. */
  readonly mark: (on: boolean) => void
  /** Acts while no other tab of the app does. */
  readonly alone: (act: () => Promise<void>) => Promise<void>
  readonly show: (asked: Asked, signal: AbortSignal) => Promise<Choice>
  /** Reads what other tabs have stored. */
  readonly refresh: () => Promise<void>
  /** What the stored decisions say; also answers of other tabs to the same question after `since`. */
  readonly stored: (asked: Asked, key: string, since: number) => AccessAnswer | undefined
  /** Stores the user's answer, and tells the engine. */
  readonly store: (asked: Asked, key: string, choice: Choice) => Promise<void>
  /** How the page is called in words for the model. */
  readonly place: () => string
  readonly report: (error: unknown) => void
  readonly now: () => number
  readonly later: (act: () => void, ms: number) => () => void
}

export interface Questions {
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  receive(message: QuestionMessage): void
  /** Answers the questions that the decisions answer now. */
  settle(): void
  /** The page was hidden, or is visible again. */
  looked(): void
  /** Answers all questions: the document ends, or is put into the back/forward cache. */
  end(): void
}

interface Waiter {
  readonly answer: (answer: AccessAnswer) => void
}

interface Question {
  readonly key: string
  readonly asked: Asked
  /** When it was asked first, here; answers before that are those of other requests. */
  readonly since: number
  readonly waiters: Set<Waiter>
  /** Hidden tabs that have the same question, with the functions that end their time. */
  readonly others: Map<string, () => void>
  /** The user has answered, and that is being stored. */
  isStoring?: true
  /** While it is on the screen. */
  closing?: AbortController
}

export function questions(host: QuestionHost): Questions {
  const open = new Map<string, Question>()
  const refusals = new Map<string, number>() // by assistant
  let lastCall = 0
  let isShowing = false

  const keyOf = ({ assistant, right, tool }: Asked) =>
    JSON.stringify(
      tool?.destructive ? [assistant, right, tool.name, host.tab, ++lastCall] : [assistant, right],
    )

  const questionOf = (key: string, asked: Asked): Question => {
    const since = host.now()
    const question = open.get(key) ?? { key, asked, since, waiters: new Set(), others: new Map() }
    open.set(key, question)
    return question
  }
  /** Closes a question that nobody waits for. */
  const closeIfLeft = (question: Question) => {
    if (question.waiters.size + question.others.size > 0) return
    open.delete(question.key)
    question.closing?.abort()
    marked()
  }
  const marked = () => {
    const waits = [...open.values()].some(({ waiters }) => waiters.size > 0)
    host.mark(waits && !host.isVisible())
  }
  const tell = ({ key, asked, waiters }: Question) => {
    if (waiters.size > 0 && !host.isVisible()) {
      host.post({ kind: 'asked', tab: host.tab, key, asked })
    }
  }
  const answerAll = (question: Question, answer: AccessAnswer) => {
    for (const waiter of [...question.waiters]) waiter.answer(answer)
    for (const end of question.others.values()) end()
    question.others.clear()
    closeIfLeft(question)
  }
  const refusalsOf = (assistant: string) => refusals.get(assistant) ?? 0
  const isRefused = ({ assistant }: Asked) => refusalsOf(assistant) >= maxRefusals
  const answerOf = (choice: Choice, { assistant }: Asked): AccessAnswer => {
    if (choice === 'deny' || choice === 'dismissed') {
      const message = refusalWords(choice, refusalsOf(assistant))
      return { allow: false, reason: 'declined', message }
    }
    if (choice === 'unshown' || choice === 'ended') {
      return { allow: false, reason: 'unanswered', message: unansweredWords.covered(host.place()) }
    }
    return { allow: true, reason: 'asked' }
  }
  /** Counts a refusal, here or in another tab; after the third one of an assistant nothing is asked about it. */
  const count = (choice: Choice, assistant: string) => {
    if (choice !== 'deny' && choice !== 'dismissed') return
    refusals.set(assistant, refusalsOf(assistant) + 1)
    for (const question of [...open.values()]) {
      if (isRefused(question.asked)) answerAll(question, answerOf('deny', question.asked))
    }
  }
  const settle = () => {
    for (const question of [...open.values()]) {
      if (question.isStoring) continue
      const answer = host.stored(question.asked, question.key, question.since)
      if (answer) answerAll(question, answer)
    }
  }

  /** Shows the questions of this tab, one after the other and in turns with other tabs. */
  async function showAll() {
    if (isShowing) return
    isShowing = true
    try {
      while (open.size > 0 && host.isVisible()) await host.alone(showNext)
    } catch (error) {
      host.report(error)
      for (const question of [...open.values()]) {
        answerAll(question, answerOf('unshown', question.asked))
      }
    } finally {
      isShowing = false
    }
  }

  async function showNext() {
    await host.refresh()
    settle()
    const [question] = open.values()
    if (question === undefined || !host.isVisible()) return
    const { key, asked } = question
    const closing = new AbortController()
    question.closing = closing
    const choice = await host.show(asked, closing.signal)
    question.closing = undefined
    if (choice === 'ended') return // left, hidden, or answered elsewhere
    if (choice !== 'unshown') {
      question.isStoring = true
      await host.store(asked, key, choice)
      host.post({ kind: 'answered', key, assistant: asked.assistant, choice })
    }
    answerAll(question, answerOf(choice, asked))
    count(choice, asked.assistant)
  }

  return {
    ask(request, signal) {
      const asked = askedOf(request)
      if (!isShowable(asked.assistant) || (asked.tool && !isShowable(asked.tool.name))) {
        return Promise.resolve({
          allow: false,
          reason: 'unanswered',
          message: unansweredWords.name,
        })
      }
      if (isRefused(asked)) return Promise.resolve(answerOf('deny', asked))
      const key = keyOf(asked)
      return new Promise((resolve) => {
        const question = questionOf(key, asked)
        const leave = () => waiter.answer({ allow: false, reason: 'unanswered' })
        const waiter: Waiter = {
          answer(answer) {
            if (!question.waiters.delete(waiter)) return
            stop()
            signal.removeEventListener('abort', leave)
            if (question.waiters.size === 0 && !answer.allow) {
              host.post({ kind: 'left', tab: host.tab, key })
            }
            resolve(answer)
            closeIfLeft(question)
          },
        }
        const stop = host.later(() => {
          const words = host.isVisible() ? unansweredWords.visible : unansweredWords.hidden
          waiter.answer({ allow: false, reason: 'unanswered', message: words(host.place()) })
        }, waitTime)
        question.waiters.add(waiter)
        if (signal.aborted) return leave()
        signal.addEventListener('abort', leave, { once: true })
        marked()
        tell(question)
        void showAll()
      })
    },
    receive(message) {
      switch (message.kind) {
        case 'asked': {
          if (message.tab === host.tab || isRefused(message.asked)) return
          const { key, tab, asked } = message
          const question = questionOf(key, asked)
          question.others.get(tab)?.()
          const stop = host.later(() => {
            question.others.delete(tab)
            closeIfLeft(question)
          }, waitTime)
          question.others.set(tab, stop)
          void showAll()
          return
        }
        case 'left': {
          const question = open.get(message.key)
          question?.others.get(message.tab)?.()
          question?.others.delete(message.tab)
          if (question) closeIfLeft(question)
          return
        }
        case 'answered': {
          const question = open.get(message.key)
          if (question) answerAll(question, answerOf(message.choice, question.asked))
          count(message.choice, message.assistant)
          return
        }
        case 'looking':
          for (const question of open.values()) tell(question)
      }
    },
    settle,
    looked() {
      marked()
      if (host.isVisible()) {
        host.post({ kind: 'looking' })
        void showAll()
        return
      }
      for (const question of [...open.values()]) {
        for (const end of question.others.values()) end()
        question.others.clear() // a visible tab shows them
        closeIfLeft(question)
        question.closing?.abort()
        tell(question)
      }
    },
    end() {
      for (const question of [...open.values()]) {
        answerAll(question, { allow: false, reason: 'unanswered' })
      }
    },
  }
}
