/**
 * A self-hosted Presidio server: its analyzer and anonymizer, which take one text at a time. Reference:
 * https://microsoft.github.io/presidio/api-docs/api-docs.html (`POST /analyze`, `POST /anonymize`). Its offsets count
 * Unicode code points; ours count UTF-16 units. Errors: Error for a status that is not 2xx, and for an answer that
 * cannot be read.
 */
import { type CheckIo, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import {
  type Change,
  eachText,
  type Filled,
  nameOf,
  post,
  postForObject,
  scope,
  timeoutOf,
  unreadable,
  urlOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const vendor = 'Presidio'

/** The parameters of both checks. */
export const common = {
  url: Type.String({
    pattern: '^https?://',
    description: 'The analyzer. Private addresses must be among the trusted hosts.',
  }),
  entities: Type.Optional(
    Type.Array(Type.String({ pattern: '^\\w{1,60}$' }), {
      default: [],
      description: 'Kinds to look for, such as EMAIL_ADDRESS, PERSON. Empty: all kinds of the server.',
    }),
  ),
  language: Type.Optional(
    Type.String({
      pattern: '^[a-z]{2,3}$',
      default: 'en',
      description: 'The language of the texts (ISO 639).',
    }),
  ),
  scoreThreshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'The minimum score of a finding.',
    }),
  ),
  scope,
  timeout: timeoutOf(5000),
}

const schema = Type.Object(common)

export type Common = Filled<typeof schema, 'entities' | 'language' | 'scoreThreshold' | 'scope' | 'timeout'>

/** A finding, with the vendor's offsets. */
interface Entity {
  entity_type: string
  start: number
  end: number
  score: number
}

export interface Analyzed {
  part: TextPart
  entities: Entity[]
}

/** Creates the call that finds the entities of texts. Its result omits texts without entities. */
export function analyzerOf({ url, entities, language, scoreThreshold, timeout }: Common) {
  const target = `${urlOf('url', { url }, { settings: {}, vendorUrl: '' })}/analyze`
  const fixed = {
    language,
    score_threshold: scoreThreshold,
    ...(entities.length === 0 ? {} : { entities: [...entities] }),
  }
  return async (texts: readonly TextPart[], io: CheckIo): Promise<Analyzed[]> => {
    const analyzed = await eachText(texts, io, async (part, own) => {
      const json = { text: part.text, ...fixed }
      const answer = await post(own, vendor, { url: target, headers: {}, json, timeoutMs: timeout })
      if (!Array.isArray(answer)) return unreadable(vendor)
      return { part, entities: answer.map(entityOf).filter(({ score }) => score >= scoreThreshold) }
    })
    return analyzed.filter((found) => found.entities.length > 0)
  }
}

/** Creates the call that replaces the entities of texts with their kind: `<PERSON>`. */
export function anonymizerOf(url: string, timeoutMs: number) {
  const target = `${urlOf('anonymizerUrl', { anonymizerUrl: url }, { settings: {}, vendorUrl: '' })}/anonymize`
  return async (analyzed: readonly Analyzed[], io: CheckIo): Promise<Change[]> => {
    const entitiesAt = new Map(analyzed.map(({ part, entities }) => [part, entities]))
    const parts = analyzed.map(({ part }) => part)
    const texts = await eachText(parts, io, async (part, own) => {
      const found = (entitiesAt.get(part) ?? []).map((entity) => ({ ...entity }))
      const json = { text: part.text, analyzer_results: found }
      const { text } = await postForObject(own, vendor, { url: target, headers: {}, json, timeoutMs })
      return typeof text === 'string' && text !== part.text ? text : unreadable(vendor)
    })
    return parts.map(({ path, text }, index) => ({
      path,
      before: text,
      after: texts[index] ?? unreadable(vendor),
    }))
  }
}

function entityOf(found: unknown): Entity {
  if (!isObject(found)) return unreadable(vendor)
  const { entity_type, start, end, score } = found
  if (typeof entity_type !== 'string' || typeof score !== 'number') return unreadable(vendor)
  if (typeof start !== 'number' || typeof end !== 'number') return unreadable(vendor)
  return { entity_type, start, end, score }
}

/** The maximum number of reported findings. */
const maxReported = 20

/** The findings, with offsets in UTF-16 units. */
export function reportOf(analyzed: readonly Analyzed[]): JsonObject {
  const found = analyzed.flatMap(({ part, entities }) => entities.map((entity) => ({ part, ...entity })))
  return {
    count: found.length,
    found: found.slice(0, maxReported).map(({ part, entity_type, start, end, score }) => ({
      kind: nameOf(entity_type),
      path: part.path,
      start: unitsBefore(part.text, start),
      end: unitsBefore(part.text, end),
      score,
    })),
  }
}

/** The number of UTF-16 units of the first code points of a text. */
function unitsBefore(text: string, codePoints: number): number {
  let units = 0
  for (let seen = 0; seen < codePoints && units < text.length; seen += 1)
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1
  return units
}
