/**
 * `pangea.textGuard`: a recipe of Pangea AI Guard checks the texts, each as a separate message.
 * Reference: `POST /v1/text/guard`, https://pangea.cloud/docs/api/ai-guard
 * The verdict is the answer's `blocked`. Redactions of the recipe are reported (`transformed`) but not
 * applied; use `pangea.pii` to redact. The vendor accepts up to 20 KiB of text and answers with an error above that.
 * Errors: Error for a status that is not 2xx, and for an answer that cannot be read.
 */
import { type Check, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import { type Filled, nameOf, objectsIn, textsOf, unreadable } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { common, serviceOf } from './service.ts'

const parameters = Type.Object(
  {
    recipe: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Key of the recipe. Absent: the vendor’s pangea_prompt_guard.',
      }),
    ),
    debug: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Also reports which analyzers spoke, and how sure they are.',
      }),
    ),
    overrides: Type.Optional(
      Type.Object(
        {},
        {
          additionalProperties: true,
          description: 'Overrides of the recipe, sent to the vendor unchanged.',
        },
      ),
    ),
    ...common,
  },
  { additionalProperties: false },
)

export const textGuard: Check<Filled<typeof parameters, 'debug' | 'scope' | 'timeout'>> = {
  id: 'textGuard',
  title: 'Pangea AI Guard',
  description: 'Fails when the recipe blocks the texts. The texts and their roles are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ recipe, debug, overrides, scope, timeout, ...given }, settings) {
    const ask = serviceOf('ai-guard', given, settings)
    return {
      async run(input, io) {
        const texts = textsOf(input, scope)
        if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const json = { messages: texts.map(messageOf), recipe, debug, overrides: overrides as JsonObject }
        const result = await ask(io, '/v1/text/guard', { json, timeoutMs: timeout })
        if (typeof result.blocked !== 'boolean' && !isObject(result.detectors)) return unreadable('Pangea')
        return {
          verdict: result.blocked !== true,
          data: {
            recipe: nameOf(result.recipe),
            transformed: result.transformed === true,
            detected: detectedBy(result.detectors, debug),
          },
        }
      },
    }
  },
}

const roles: ReadonlySet<string> = new Set(['system', 'user', 'assistant', 'tool'])

const messageOf = ({ role, text }: TextPart): JsonObject => ({
  role: roles.has(role) ? role : role === 'developer' ? 'system' : 'user',
  content: text,
})

/** The detectors with findings, and the action of the recipe. */
function detectedBy(detectors: unknown, debug: boolean): JsonObject[] {
  if (!isObject(detectors)) return []
  return Object.entries(detectors).flatMap(([detector, found]) => {
    if (!isObject(found) || found.detected !== true) return []
    const data = isObject(found.data) ? found.data : {}
    const analyzers = debug ? { analyzers: analyzersOf(data.analyzer_responses) } : {}
    return [{ detector: nameOf(detector), action: nameOf(data.action), ...analyzers }]
  })
}

function analyzersOf(responses: unknown): JsonObject[] {
  return objectsIn(responses).map(({ analyzer, confidence }) => ({
    analyzer: nameOf(analyzer),
    confidence: typeof confidence === 'number' ? confidence : null,
  }))
}
