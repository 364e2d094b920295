/**
 * The Gemini format as sent by the caller: forwarded to models with this API. Bodies, answers and events are unchanged,
 * except that data for other providers and duplicate results, which the vendor refuses, are removed from the
 * conversation, and unsigned calls get the vendor's placeholder. Only errors are parsed.
 * Reference: https://ai.google.dev/api/generate-content, https://ai.google.dev/api/tokens,
 * https://ai.google.dev/api/embeddings
 */
import { type Dialect, isObject, type Json, type JsonObject, readCarriedSignature } from '@gateway/contract'
import { objectOf, objectsOf, textOf } from '../../chat/values.ts'
import { geminiError } from './errors.ts'
import { isSigned } from './models.ts'
import { unsigned } from './tool-calls.ts'

/** `generateContent` and `streamGenerateContent`. */
export const generateContentDialect: Dialect = {
  name: 'gemini-generate-content-native',
  request: ({ stream: _, ...body }) => ownRequest(body),
  answer: (body) => body,
  stream: 'same',
  error: geminiError,
}

/** `countTokens` of the Gemini API, in which everything except contents is part of a whole request. */
export const countContentDialect: Dialect = {
  name: 'gemini-count-tokens',
  request(body) {
    const { contents, ...rest } = ownRequest(body)
    if (Object.keys(rest).length === 0) return { contents }
    return { generateContentRequest: { model: resourceOf(body.model), contents, ...rest } }
  },
  answer: (body) => body,
  error: geminiError,
}

/** `countTokens` of Vertex AI. */
export const vertexCountDialect: Dialect = {
  ...countContentDialect,
  name: 'vertex-count-tokens',
  request: ownRequest,
}

/** `embedContent`. */
export const embedContentNative: Dialect = {
  name: 'gemini-embed-content-native',
  request: ({ model: _, ...body }) => body,
  answer: (body) => body,
  error: geminiError,
}

/** `batchEmbedContents`, in which each request has the model. */
export const batchEmbedNative: Dialect = {
  ...embedContentNative,
  name: 'gemini-batch-embed-contents-native',
  request: ({ model, ...body }) => ({
    ...body,
    requests: objectsOf(body.requests).map((request) => ({ ...request, model: resourceOf(model) })),
  }),
}

/** The resource of a model; that of a tuned one includes its collection. */
export function resourceOf(model: Json | undefined): string {
  const name = textOf(model)
  return /^(?:models|tunedModels)\//.test(name) ? name : `models/${name}`
}

/** The model is in the path. */
function ownRequest({ model, ...body }: JsonObject): JsonObject {
  const given = body.contents
  if (!Array.isArray(given)) return body
  const contents = given.map((content) => ownContent(content, textOf(model)))
  if (contents.every((content, index) => content === given[index])) return body
  return { ...body, contents: contents.filter(hasParts) }
}

const hasParts = (content: Json): boolean =>
  !isObject(content) || !Array.isArray(content.parts) || content.parts.length > 0

function ownContent(content: Json, model: string): Json {
  if (!isObject(content) || !Array.isArray(content.parts)) return content
  const given = content.parts
  const parts = given
    .map(withoutCarried)
    .filter((part, index) => (part === given[index] || !isBlank(part)) && !isRepeated(given, index))
  const own = content.role === 'model' && isSigned(model) ? withPlaceholder(parts) : parts
  const isSame = own.length === given.length && own.every((part, index) => part === given[index])
  return isSame ? content : { ...content, parts: own }
}

/** The part without data for another provider. A signature that was in it is the vendor's own. */
function withoutCarried(part: Json): Json {
  if (!isObject(part)) return part
  const carried = readCarriedSignature(part.thoughtSignature)
  if (carried === null) return part
  const { thoughtSignature: _, ...rest } = part
  const own = textOf(objectOf(objectOf(carried.extra_content).google).thought_signature)
  return own === '' ? rest : { ...rest, thoughtSignature: own }
}

/**
 * Whether the result was already sent: Gemini CLI sends the results of a session that it resumes twice, and the vendor
 * refuses more results than calls.
 */
function isRepeated(parts: readonly Json[], index: number): boolean {
  const id = resultId(parts[index])
  return id !== '' && parts.findIndex((part) => resultId(part) === id) < index
}

const resultId = (part: Json | undefined): string => textOf(objectOf(objectOf(part).functionResponse).id)

/** A text that existed only for its signature. */
const isBlank = (part: Json): boolean => isObject(part) && part.text === '' && Object.keys(part).length === 1

/** The first call of a step must be signed, but a call of another provider is not. */
function withPlaceholder(parts: readonly Json[]): Json[] {
  const first = parts.findIndex((part) => isObject(part) && part.functionCall !== undefined)
  const call = parts[first]
  if (!isObject(call) || call.thoughtSignature !== undefined) return [...parts]
  return parts.map((part, index) => (index === first ? { ...call, thoughtSignature: unsigned } : part))
}
