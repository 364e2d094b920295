/**
 * Runs one pair: the logged request against the candidate's config, then the comparison. The result is committed with
 * its log entries and charges, so each pair is stored exactly once.
 */

import { retryAfterOf } from '@gateway/batches/engine'
import type { LogEntry, Outgoing } from '@gateway/contract'
import { matchTools } from '../compare/match.ts'
import { readSide } from '../compare/side.ts'
import { createJsonCheck, wantedSchema } from '../compare/wanted-json.ts'
import type { ReplayEngine } from '../engine.ts'
import type { Match, StoredPair } from '../entities.ts'
import type { ReplayRequest } from '../request-of.ts'
import type { ReplayDocument } from '../store.ts'
import type { Budget } from './budget.ts'
import { type Asked, type CallResult, type Calls, refusalOf } from './calls.ts'
import { judgePair, type Question, questionsOf } from './judge.ts'
import { needOf } from './planned-cost.ts'
import { compareTexts, embeddingOf } from './similarity.ts'

export interface PairParts {
  engine: ReplayEngine
  replay: ReplayDocument
  calls: Calls
  budget: Budget
  /** Fires when no more requests should be sent. Pairs in flight are completed. */
  stop: AbortSignal
}

/** A pair that is about to run. */
export interface Planned {
  position: number
  entry: LogEntry
  request: ReplayRequest
  /** The amount reserved for this pair; 0 without a budget. */
  reservation: number
  /** The part of the reservation for the judge, in US cents. */
  judgeCents: number
  /** Whether the embedding has a price, which the comparison needs. */
  isCompared: boolean
}

export interface PairResult {
  pair: StoredPair
  outgoing: readonly Outgoing[]
}

/** A pair that is not compared. */
export const uncompared = (
  baseline: Pick<LogEntry, 'id'> & Partial<Pick<LogEntry, 'fields'>>,
  outcome: 'failed' | 'skipped',
  reason: string,
): StoredPair => ({
  baseline_id: baseline.id,
  candidate_id: null,
  api_key_id: baseline.fields?.api_key_id ?? null,
  outcome,
  reason,
  is_redacted: false,
  baseline: null,
  candidate: null,
  match: null,
  judge: null,
  spent: 0,
  reservations: [],
})

export const candidateOf = (
  { configs }: Pick<Calls, 'configs'>,
  { path, body, headers }: ReplayRequest,
  position: number,
): Asked => ({
  path,
  body,
  headers: { ...headers, 'x-gateway-config': configs.config },
  span: String(position),
})

/** Null if the pair was not sent because the replay is ending. */
export async function runPair(parts: PairParts, planned: Planned): Promise<PairResult | null> {
  const { calls } = parts
  const { position, entry, request, reservation } = planned
  const called = await callPatiently(parts, candidateOf(calls, request, position))
  if (called === null) return null
  const reservations = reservation > 0 ? [reservation] : []
  const refusal = called.entry === null ? (refusalOf(called) ?? 'refused') : refusalOf(called)
  if (called.entry === null || refusal !== null) {
    const pair = uncompared(entry, 'failed', refusal ?? 'refused')
    return { pair: { ...pair, spent: called.cents, reservations }, outgoing: called.outgoing }
  }
  return compare(parts, planned, { called, candidateEntry: called.entry })
}

/**
 * The maximum number of tries after 429. Each one delays this and other pairs of the replay; the last 429 is the
 * candidate's answer.
 */
const mostTries = 8

async function callPatiently(
  { engine, calls, replay, stop }: PairParts,
  asked: Asked,
): Promise<CallResult | null> {
  const { backOff, context } = engine
  const target = `replay/${replay.id}`
  for (let tries = 1; ; tries += 1) {
    await backOff.wait(target, stop)
    if (stop.aborted) return null
    const called = await calls.run(asked)
    const { answer } = called
    if (answer.status !== 429 || tries >= mostTries) {
      if (answer.status !== 429) backOff.passed(target)
      return called
    }
    backOff.refused(target, retryAfterOf(answer.headers, context.now()))
  }
}

async function compare(
  parts: PairParts,
  planned: Planned,
  { called, candidateEntry }: { called: CallResult; candidateEntry: LogEntry },
): Promise<PairResult> {
  const { entry, request, reservation } = planned
  const schema = wantedSchema(request.body)
  const check = schema === null ? null : createJsonCheck(schema, new AbortController().signal)
  const [baseline, candidate] = await Promise.all([readSide(entry, check), readSide(candidateEntry, check)])
  const reservations = reservation > 0 ? [reservation] : []
  const outgoing = [...called.outgoing]
  let spent = called.cents
  const match: Match = { ...matchTools(baseline.answer, candidate.answer), similarity: null }
  const pair: StoredPair = {
    baseline_id: entry.id,
    candidate_id: candidateEntry.id,
    api_key_id: entry.fields.api_key_id ?? null,
    outcome: 'completed',
    reason: null,
    is_redacted: request.isRedacted,
    baseline: baseline.side,
    candidate: candidate.side,
    match,
    judge: null,
    spent,
    reservations,
  }
  const question = questionOf(planned, baseline.answer?.text ?? '', candidate.answer?.text ?? '')
  if (question !== null) {
    const compared = await similarityOf(parts, planned, question)
    match.similarity = compared.similarity
    outgoing.push(...compared.outgoing)
    spent += compared.cents
    const judged = await judgementOf(parts, planned, { question, reservations })
    pair.judge = judged.judge
    outgoing.push(...judged.outgoing)
    spent += judged.cents
  }
  return { pair: { ...pair, spent }, outgoing }
}

/** Null unless both sides have text. */
export function questionOf(
  { position, request }: Pick<Planned, 'position' | 'request'>,
  baseline: string,
  candidate: string,
): Omit<Question, 'criteria'> | null {
  if (baseline === '' || candidate === '') return null
  const { 'x-gateway-metadata': written } = request.headers
  const metadata = written === undefined ? {} : { 'x-gateway-metadata': written }
  return { request: request.body, baseline, candidate, span: String(position), metadata }
}

const nothing = { outgoing: [] as Outgoing[], cents: 0 }

async function similarityOf(
  { engine, calls }: PairParts,
  { isCompared }: Planned,
  question: Omit<Question, 'criteria'>,
) {
  const model = engine.context.embeddingModel()
  if (model === null) return { ...nothing, similarity: null }
  if (question.baseline === question.candidate) return { ...nothing, similarity: 1 }
  return isCompared ? compareTexts(calls, embeddingOf(model, question)) : { ...nothing, similarity: null }
}

/** The typical size of a verdict. */
const verdictTokens = 400

/** The amount to reserve for both questions of the judge; null if a price is unknown. */
export async function judgeNeed(calls: Calls, question: Question): Promise<number | null> {
  const [asked] = questionsOf(calls, question)
  const input = Math.ceil(Buffer.byteLength(JSON.stringify(asked.body)) / 4)
  const need = needOf(await calls.plan(asked, { input, output: verdictTokens }))
  return need === null ? null : 2 * need
}

interface JudgementOptions {
  question: Omit<Question, 'criteria'>
  reservations: number[]
}

async function judgementOf(
  { calls, replay, budget }: PairParts,
  { reservation, judgeCents }: Planned,
  { question, reservations }: JudgementOptions,
) {
  const { judge } = replay.data
  if (judge === null) return { ...nothing, judge: null }
  const asked = { ...question, criteria: judge.criteria }
  if (reservation > 0) {
    // The reservation was for an answer as long as the baseline's.
    const more = ((await judgeNeed(calls, asked)) ?? 0) - judgeCents
    const added = more > 0 ? await budget.reserve(more) : 0
    if (added === null) return { ...nothing, judge: null }
    if (added > 0) reservations.push(added)
  }
  return judgePair(calls, questionsOf(calls, asked))
}
