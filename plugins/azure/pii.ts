/**
 * `azure.pii`: Azure AI Language detects personal data and masks it if requested.
 * Reference: https://learn.microsoft.com/rest/api/language/text-analysis-runtime/analyze-text (PiiEntityRecognition),
 * https://learn.microsoft.com/azure/ai-services/language-service/concepts/data-limits A call accepts five documents of
 * 5,120 characters; longer texts are split into pieces, and several calls run in parallel. Personal data that crosses
 * the boundary of two pieces can be missed.
 * Errors: Error for an answer that does not judge every document; those of service.ts.
 */
import { type Check, isObject, type JsonObject, type TextPart, type Verdict } from '@gateway/contract'
import {
  type Change,
  type Filled,
  isStreaming,
  objectsIn,
  replaceTexts,
  scope,
  textOrNull,
  textsOf,
} from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { apiVersion, common } from './shared/parameters.ts'
import { createPost } from './shared/service.ts'
import { splitText } from './shared/split-text.ts'

const parameters = Type.Object(
  {
    redact: Type.Optional(Type.Boolean({ default: false, description: 'Masks the findings, and passes.' })),
    domain: Type.Optional(
      Type.Unsafe<'none' | 'phi'>({
        type: 'string',
        enum: ['none', 'phi'],
        default: 'none',
        description: 'phi: health information alone.',
      }),
    ),
    language: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8})*$',
        default: 'en',
        description: 'The language of the texts.',
      }),
    ),
    modelVersion: Type.Optional(
      Type.String({ minLength: 1, default: 'latest', description: 'The model that looks for it.' }),
    ),
    scope,
    apiVersion: Type.Optional(apiVersion('2024-11-01')),
    ...common,
  },
  { additionalProperties: false },
)

const maxChars = 5000
const perCall = 5
const maxCalls = 20

interface Piece {
  path: string
  text: string
}

interface Judged extends Piece {
  redacted: string
  entities: JsonObject[]
}

export const pii: Check<
  Filled<
    typeof parameters,
    'redact' | 'domain' | 'language' | 'modelVersion' | 'scope' | 'apiVersion' | 'timeout'
  >
> = {
  id: 'pii',
  title: 'Azure personal data',
  description:
    'Fails when there is personal data in a text; with redact it is masked instead. Texts that need more than 100 ' +
    'documents of 5,000 characters are an error. Only the texts are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ redact, domain, language, modelVersion, scope, ...own }, settings) {
    const post = createPost('pii', own, settings)
    const bodyOf = (pieces: readonly Piece[]): JsonObject => ({
      kind: 'PiiEntityRecognition',
      parameters: { domain, modelVersion, stringIndexType: 'Utf16CodeUnit' },
      analysisInput: {
        documents: pieces.map(({ text }, index) => ({ id: String(index), language, text })),
      },
    })
    return {
      transforms: redact,
      async run(input, io) {
        const pieces = piecesOf(textsOf(input, scope))
        if (pieces.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const calls = Array.from({ length: Math.ceil(pieces.length / perCall) }, (_, call) =>
          pieces.slice(call * perCall, (call + 1) * perCall),
        )
        if (calls.length > maxCalls) throw new Error('the texts are longer than can be looked at')
        const judged = await Promise.all(
          calls.map(async (batch) =>
            judgedOf(await post('/language/:analyze-text', bodyOf(batch), io), batch),
          ),
        )
        return verdictOf(judged.flat(), redact && !isStreaming(input))
      },
    }
  },
}

const piecesOf = (texts: readonly TextPart[]): Piece[] =>
  texts.flatMap(({ path, text }) => splitText(text, maxChars).map((piece) => ({ path, text: piece })))

function judgedOf(answer: JsonObject, pieces: readonly Piece[]): Judged[] {
  const { documents } = isObject(answer.results) ? answer.results : {}
  const listed = objectsIn(documents)
  return pieces.map((piece, index) => {
    const found = listed.find(({ id }) => id === String(index))
    if (found === undefined || !Array.isArray(found.entities) || typeof found.redactedText !== 'string')
      throw new Error('Azure did not judge every text')
    return { ...piece, redacted: found.redactedText, entities: found.entities.filter(isObject) }
  })
}

/** The most places that are reported. */
const maxReported = 50

function verdictOf(judged: readonly Judged[], redact: boolean): Verdict {
  const hits = judged.filter(({ entities }) => entities.length > 0)
  const entities = hits.flatMap(({ path, entities: found }) =>
    found.map(({ category }) => ({ path, category: textOrNull(category) })),
  )
  const data = { count: entities.length, entities: entities.slice(0, maxReported) }
  if (hits.length === 0) return { verdict: true, data }
  if (!redact) return { verdict: false, data }
  const changes = changesOf(judged, new Set(hits.map(({ path }) => path)))
  const changed = changes.filter(({ before, after }) => before !== after)
  const replaced = replaceTexts(changed, data)
  const isMasked = changed.length === changes.length && hits.every(({ text, redacted }) => text !== redacted)
  return { ...replaced, verdict: replaced.verdict && isMasked }
}

/** Joins the pieces of each text again. */
function changesOf(judged: readonly Judged[], paths: ReadonlySet<string>): Change[] {
  return [...paths].map((path) => {
    const own = judged.filter((piece) => piece.path === path)
    return {
      path,
      before: own.map(({ text }) => text).join(''),
      after: own.map(({ redacted }) => redacted).join(''),
    }
  })
}
