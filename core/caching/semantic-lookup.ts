/**
 * The semantic cache for one request (contract section 8). Compares the request with the stored answers to requests
 * that differ from it only in the text, and finds the most similar one. A failure of the embedding or the store is a
 * miss, counted and logged.
 */

import { randomUUID } from 'node:crypto'
import type { Disagreement, Question } from '@gateway/agreement'
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { Ports, Resolved, Routed, SemanticCache } from '@gateway/flow'
import { cacheKeyOf } from './cache-key.ts'
import { comparableText } from './comparable-text.ts'
import { embed } from './embed.ts'
import { reportCacheFault } from './report-fault.ts'

interface SemanticHit {
  similarity: number
  /** The stored answer. */
  text: string
}

/** A stored answer within the threshold whose question differs in features that embeddings hardly reflect. */
interface RefusedNeighbour {
  similarity: number
  because: Disagreement | 'entry'
}

export interface SemanticLookup {
  /** Finds the most similar stored answer within the threshold whose question agrees; null for a miss. */
  find(): Promise<SemanticHit | null>
  /** The more similar answers that {@link find} refused. */
  refused(): readonly RefusedNeighbour[]
  /** Stores an answer, replacing the one that {@link find} found. Stores nothing without an embedding. */
  store(answer: { head: JsonObject; text: string }, ttlMs: number): Promise<void>
}

/** Loaded by the first lookup, because preparing the word lists would delay every start. */
const loadAgreement = () => import('@gateway/agreement')
type Agreement = Awaited<ReturnType<typeof loadAgreement>>

/** Comparing longer texts takes too long. Common embedding models accept about as much. */
const mostComparedChars = 32_000
/** How many neighbours are compared. */
const mostNeighbours = 8
/** Larger answers are stored only for exact matches. */
const maxAnswerChars = 2_000_000

/** Null when only exact matches are searched. */
export function semanticLookup(
  ports: Ports<'log' | 'metrics' | 'runNode' | 'semanticAnswers'>,
  exchange: Resolved,
): SemanticLookup | null {
  const node = exchange.node
  const cache = exchange.workspace.semanticCache
  if (node.cache?.mode !== 'semantic' || cache === null) return null
  const comparable = comparableText(exchange.endpoint, exchange.input.body)
  if (comparable === null) return null
  const { text, rest } = comparable
  if (cache.agreement === 'strict' && text.length > mostComparedChars) return null
  const { provider, model, dimensions } = cache
  const collection = cacheKeyOf(exchange, { ...rest, embedding: [provider, model, dimensions] })
  return lookup(ports, exchange, {
    cache,
    collection,
    text,
    threshold: node.cache.threshold ?? cache.threshold,
  })
}

interface Place {
  cache: SemanticCache
  collection: string
  text: string
  threshold: number
}

function lookup(
  ports: Ports<'log' | 'metrics' | 'runNode' | 'semanticAnswers'>,
  exchange: Routed,
  { cache, collection, text, threshold }: Place,
): SemanticLookup {
  const { semanticAnswers } = ports
  const isStrict = cache.agreement === 'strict'
  const refused: RefusedNeighbour[] = []
  let values: readonly number[] | null = null
  let question: Question | null = null
  let id: string = randomUUID()

  const asked = ({ questionOf }: Agreement): Question => {
    question ??= questionOf(text)
    return question
  }

  async function search(vector: readonly number[]): Promise<SemanticHit | null> {
    const agreement = isStrict ? await loadAgreement() : null
    const limit = isStrict ? mostNeighbours : 1
    const found = await semanticAnswers.nearest(collection, vector, { minSimilarity: threshold, limit })
    for (const neighbour of found) {
      const { similarity } = neighbour
      const entry = neighbour.open()
      const because = agreement === null ? null : disagreementWith(agreement, asked(agreement), entry)
      if (because === null) {
        id = neighbour.id
        return { similarity, text: entry }
      }
      refused.push({ similarity, because })
    }
    return null
  }

  return {
    refused: () => refused,
    async find() {
      try {
        values = await embed(ports, exchange, { cache, text })
      } catch (error) {
        reportCacheFault(ports, exchange, { operation: 'embed', error })
        return null
      }
      try {
        return await search(values)
      } catch (error) {
        reportCacheFault(ports, exchange, { operation: 'search', error })
        return null
      }
    },
    async store({ head, text: answer }, ttlMs) {
      if (values === null || answer.length > maxAnswerChars) return
      try {
        const agreement = await loadAgreement()
        const entry = `${JSON.stringify({ ...head, question: asked(agreement) })}\n${answer}`
        const { maxEntries } = cache
        await semanticAnswers.put({ collection, id, values, text: entry, ttlMs, maxEntries })
      } catch (error) {
        reportCacheFault(ports, exchange, { operation: 'write', error })
      }
    },
  }
}

/** Entries of earlier releases have no question, or one that was written by other rules. */
function disagreementWith(
  { disagreement, isQuestion }: Agreement,
  question: Question,
  entry: string,
): RefusedNeighbour['because'] | null {
  const head = parseJson(entry.slice(0, Math.max(entry.indexOf('\n'), 0)))
  const stored = isObject(head) ? head.question : undefined
  return isQuestion(stored) ? disagreement(question, stored) : 'entry'
}
