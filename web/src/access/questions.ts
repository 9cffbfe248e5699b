/**
 * The questions to the user in one tab: one for each assistant and right, and one for each call of a destructive tool; at
 * most one is shown at a time.
 *
 * A tab that is hidden marks its title, and shows its questions when it is visible. Who shows one is alone among the tabs
 * of an app (a Web Lock), and stores the answer before that ends: the next tab reads it before it shows its own.
 */

import type { AccessAnswer, AccessRequest } from '../access-types.ts'
import { type Asked, askedOf, isShowable } from './asked.ts'

/**
 * What the user has chosen. `dismissed`: closed without a decision. `ended`: its requests have ended. `unshown`: the
 * question cannot be shown here, or not on top.
 */
export type Choice =
  | 'session'
  | 'always'
  | 'once'
  | 'tool-session'
  | 'deny'
  | 'dismissed'
  | 'ended'
  | 'unshown'

/** How long a request waits for the user, ms: clients give up after 60 s. */
export const waitTime = 45_000

/** How many refusals end all questions about an assistant until the page is loaded again. */
const maxRefusals = 3

export interface QuestionHost {
  readonly isVisible: () => boolean
  /** Sets or removes the mark of the title. */
  readonly mark: (on: boolean) => void
  /** Acts while no other tab of the app does, and after this one has read what others have stored. */
  readonly alone: (act: () => Promise<void>) => Promise<void>
  readonly show: (asked: Asked, signal: AbortSignal) => Promise<Choice>
  /** What the decisions say. */
  readonly stored: (asked: Asked) => AccessAnswer | undefined
  /** Stores the user's answer, and tells the engine. */
  readonly store: (asked: Asked, choice: Choice) => Promise<void>
  /** How the page is called in words for the model. */
  readonly place: () => string
  readonly report: (error: unknown) => void
}

export interface Questions {
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  /** Answers the questions that the decisions answer now. */
  settle(): void
  /** The page was hidden, or is visible again. */
  looked(): void
  /** Answers all questions: the document ends, or is put into the back/forward cache. */
  end(): void
}

/** A question, and the requests that wait for its answer. */
interface Question {
  readonly key: string
  readonly asked: Asked
  readonly waiting: Set<(answer: AccessAnswer) => void>
  /** While it is on the screen. */
  closing?: AbortController
  /** The user has answered, and that is being stored. */
  isStoring?: true
}

const unanswered = (message?: string): AccessAnswer => ({
  allow: false,
  reason: 'unanswered',
  ...(message !== undefined && { message }),
})

/** What models read about requests that were not allowed: what to tell the user, and when to ask again. */
export const words = {
  declined: 'The user declined. Do not try again unless they ask.',
  dismissed:
    'The user has closed the question without a decision. Do not try again unless they ask.',
  refused:
    'The user has refused this assistant several times, and is not asked about it again before the page is loaded again. Do not try again unless they ask.',
  hidden: (place: string) =>
    `The user could not be asked: the tab ${place} is hidden. Tell the user to look at that tab, where the question waits for the next request. Do not try again before they say that they see it.`,
  visible: (place: string) =>
    `The user has not answered the question in the tab ${place}. Tell the user to look at that tab. Do not try again before they say so.`,
  covered: (place: string) =>
    `The user could not be asked: the question cannot be shown on top in the tab ${place}. Tell the user to open the page in a tab of its own. Do not try again before they say so.`,
  framed: (place: string) =>
    `The user could not be asked: ${place} is shown within another site. Tell the user to open the page in a tab of its own. Do not try again before they say so.`,
  name: 'The user could not be asked: the name of this assistant, or of the tool, has characters that cannot be shown, or is too long. Tell the user to give it another name.',
}

export function questions(host: QuestionHost): Questions {
  const open = new Map<string, Question>()
  const refusals = new Map<string, number>() // by assistant
  let lastCall = 0
  let isShowing = false

  const keyOf = ({ assistant, right, tool }: Asked) =>
    JSON.stringify([assistant, right, ...(tool?.destructive ? [tool.name, ++lastCall] : [])])
  const marked = () => host.mark(!host.isVisible() && open.size > 0)
  const answerAll = ({ waiting }: Question, answer: AccessAnswer) => {
    for (const done of [...waiting]) done(answer)
  }
  const isRefused = ({ assistant }: Asked) => (refusals.get(assistant) ?? 0) >= maxRefusals
  const answerOf = (choice: Choice, asked: Asked): AccessAnswer => {
    if (choice === 'unshown' || choice === 'ended') return unanswered(words.covered(host.place()))
    if (choice !== 'deny' && choice !== 'dismissed') return { allow: true, reason: 'asked' }
    const said = choice === 'deny' ? words.declined : words.dismissed
    return { allow: false, reason: 'declined', message: isRefused(asked) ? words.refused : said }
  }
  /** Answers a question; after the third refusal of an assistant, all about it. */
  const conclude = (question: Question, choice: Choice) => {
    const { assistant } = question.asked
    answerAll(question, answerOf(choice, question.asked))
    if (choice !== 'deny' && choice !== 'dismissed') return
    refusals.set(assistant, (refusals.get(assistant) ?? 0) + 1)
    for (const one of [...open.values()]) {
      if (isRefused(one.asked)) answerAll(one, answerOf('deny', one.asked))
    }
  }

  /** Waits for the answer to a question, 45 s at most. */
  function join(asked: Asked, signal: AbortSignal, answered: (answer: AccessAnswer) => void) {
    const key = keyOf(asked)
    const question = open.get(key) ?? { key, asked, waiting: new Set() }
    open.set(key, question)
    const done = (answer: AccessAnswer) => {
      if (!question.waiting.delete(done)) return
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      answered(answer)
      if (question.waiting.size > 0) return
      open.delete(key)
      question.closing?.abort()
      marked()
    }
    const leave = () => done(unanswered())
    const timer = setTimeout(() => {
      done(unanswered(words[host.isVisible() ? 'visible' : 'hidden'](host.place())))
    }, waitTime)
    question.waiting.add(done)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    marked()
    void showAll()
  }

  /** Shows the questions, one after the other and in turns with other tabs. */
  async function showAll() {
    if (isShowing) return
    isShowing = true
    try {
      while (open.size > 0 && host.isVisible()) await host.alone(showNext)
    } catch (error) {
      host.report(error)
      for (const one of [...open.values()]) answerAll(one, answerOf('unshown', one.asked))
    } finally {
      isShowing = false
    }
  }

  async function showNext() {
    settle()
    const [question] = open.values()
    if (question === undefined || !host.isVisible()) return
    question.closing = new AbortController()
    const choice = await host.show(question.asked, question.closing.signal)
    delete question.closing
    if (choice === 'ended') return // left, hidden, or answered elsewhere
    if (choice !== 'unshown') {
      question.isStoring = true
      await host.store(question.asked, choice)
    }
    conclude(question, choice)
  }

  function settle() {
    for (const question of [...open.values()]) {
      const answer = question.isStoring ? undefined : host.stored(question.asked)
      if (answer) answerAll(question, answer)
    }
  }

  return {
    ask(request, signal) {
      const asked = askedOf(request)
      if (!isShowable(asked.assistant) || (asked.tool && !isShowable(asked.tool.name))) {
        return Promise.resolve(unanswered(words.name))
      }
      if (isRefused(asked)) return Promise.resolve(answerOf('deny', asked))
      return new Promise((resolve) => join(asked, signal, resolve))
    },
    settle,
    looked() {
      marked()
      if (host.isVisible()) void showAll()
      else for (const { closing } of open.values()) closing?.abort()
    },
    end() {
      for (const question of [...open.values()]) answerAll(question, unanswered())
    },
  }
}
