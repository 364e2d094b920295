/** The semantic similarity of two answers, computed with the embedding model of `cache.semantic`. */
import { type Capabilities, isObject, type Json, type Outgoing, parseJson } from '@gateway/contract'
import { cosine } from '../compare/match.ts'
import type { Asked, Calls } from './calls.ts'

/** Embedding models accept only a few thousand tokens. */
const maxChars = 16_000

type Model = NonNullable<ReturnType<Capabilities['embeddingModel']>>

export interface Texts {
  baseline: string
  candidate: string
  span: string
  metadata: Readonly<Record<string, string>>
}

export function embeddingOf(
  { provider, model, dimensions }: Model,
  { baseline, candidate, span, metadata }: Texts,
): Asked {
  return {
    path: '/v1/embeddings',
    body: {
      model,
      input: [baseline.slice(0, maxChars), candidate.slice(0, maxChars)],
      encoding_format: 'float',
      ...(dimensions === null ? {} : { dimensions }),
    },
    headers: { 'x-gateway-virtual-key': provider, ...metadata },
    span: `${span}-embedding`,
  }
}

export interface Compared {
  similarity: number | null
  outgoing: Outgoing[]
  cents: number
}

export async function compareTexts(calls: Pick<Calls, 'run'>, asked: Asked): Promise<Compared> {
  const { answer, outgoing, cents } = await calls.run(asked)
  const body = answer.status === 200 ? parseJson(answer.text) : null
  const data = isObject(body) && Array.isArray(body.data) ? body.data : []
  const [one, other] = data.map(vectorOf)
  return { similarity: one == null || other == null ? null : cosine(one, other), outgoing, cents }
}

function vectorOf(item: Json): number[] | null {
  const values = isObject(item) ? item.embedding : null
  return Array.isArray(values) && values.every((value) => typeof value === 'number') ? values : null
}
