/** The scripted model: derives its next answer only from the conversation, like a real model. */
import type { JsonObject } from '@gateway/contract'
import type { Said } from '../conformance/vendors/vendor.ts'
import type { Conversation } from './vendors/conversation.ts'

/** The mark in the prompt of every scripted session, and of sessions that continue it. */
export const marker = 'scripted task 1'
export const secondMarker = 'scripted task 2'
export const lastWords = 'The task has ended as planned.'

/** Words in the requests of agents that ask for a summary of the conversation. */
const summaryWords =
  /checkpoint compaction|create a detailed summary|state_snapshot|anchored summary|prompt for continuing/i
const summary = `<summary>The user wants the ${secondMarker}: one more command, and then the end.</summary>`

/** A tool call; the first alternative whose tool the agent offers is used. */
export type Step = readonly { tool: string; input: JsonObject }[]

export interface Position {
  /** The number of results since the last prompt; null if the session is about something else, such as a title. */
  done: number | null
  /** Results before the last prompt. */
  earlier: number
  images: number
}

const placeOf = ({ turns }: Pick<Conversation, 'turns'>, words: string): number =>
  turns.findIndex((turn) => turn.kind === 'user' && turn.text.includes(words))

const isSecond = (conversation: Conversation): boolean => placeOf(conversation, secondMarker) !== -1

export function positionOf({ turns, tools }: Conversation): Position {
  // The first place: some agents repeat the prompt after every result.
  const at = Math.max(placeOf({ turns }, marker), placeOf({ turns }, secondMarker))
  const results = (from: number, to: number) =>
    turns.slice(from, to).filter(({ kind }) => kind === 'result').length
  const images = turns.reduce((sum, turn) => sum + ('images' in turn ? turn.images : 0), 0)
  const done = at === -1 || tools.length === 0 ? null : results(at, turns.length)
  return { done, earlier: results(0, Math.max(at, 0)), images }
}

/** Whether a request still contains the topic of the session: its prompt, or a summary. */
export const isKnown = (text: string): boolean => text.includes(marker) || text.includes(secondMarker)

/** Tokens of an answer: different for each call, so sums reveal missing and duplicate calls. */
const usageOf = (number: number) => ({ prompt: 1000 + 10 * number, completion: 20 + number })

/** Whether the agent itself has the model summarise its conversation. */
export function asksForSummary({ turns }: Conversation): boolean {
  const last = turns.findLast((turn) => turn.kind === 'user')?.text ?? ''
  return summaryWords.test(last) && !last.includes(secondMarker)
}

interface Script {
  steps: readonly Step[]
  /** The steps after a compaction; a summary is a second prompt. */
  stepsAfter?: readonly Step[]
  isAfter?: boolean
}

/** The model's answer. @param number the number of the call @returns null if the agent offers no tool for the step */
export function sayNext(
  conversation: Conversation,
  { steps, stepsAfter, isAfter }: Script,
  number: number,
): Said | null {
  const said = (text: string, calls: Said['calls'] = []): Said => ({
    text,
    pieces: text === '' ? [] : [text.slice(0, 4), text.slice(4)],
    calls,
    usage: usageOf(number),
    vectors: [],
    image: '',
    scores: [],
  })
  // Nine letters and digits, which is what the strictest vendor takes.
  const id = `call${String(number).padStart(5, '0')}`
  const { done } = positionOf(conversation)
  // The tool that the gateway adds where a model takes no schema for its answer.
  if (conversation.tools.some(({ name }) => name === 'json_output'))
    return said('', [{ id, name: 'json_output', input: { title: 'A scripted title' } }])
  const isSummary = conversation.isCompacted === true || asksForSummary(conversation)
  if (stepsAfter !== undefined && (isSummary || conversation.tools.length === 0)) return said(summary)
  // Some agents keep no words of the user after a compaction.
  if (done === null) return said(isAfter === true ? lastWords : 'A scripted title')
  const isLater = isAfter === true || isSecond(conversation)
  const step = (isLater ? (stepsAfter ?? steps) : steps)[done]
  if (step === undefined) return said(lastWords)
  const offered = new Set(conversation.tools.map(({ name }) => name))
  const call = step.find(({ tool }) => offered.has(tool))
  if (call === undefined) return null
  return said('', [{ id, name: call.tool, input: call.input }])
}
