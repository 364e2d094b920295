/**
 * `pangea.pii`: Pangea Redact detects personal data in the texts and can mask it according to the rules of its console.
 * Reference: `POST /v1/redact_structured`, https://pangea.cloud/docs/api/redact The texts are sent, and returned, as
 * the members of one object.
 * Errors: Error for a status that is not 2xx, and for an answer that lacks the count or one of the texts.
 */
import { type Check, isObject, type JsonObject, type TextPart } from '@gateway/contract'
import { type Change, type Filled, replaceTexts, textsOf, unreadable } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'
import { common, serviceOf } from './service.ts'

const parameters = Type.Object(
  {
    redact: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Puts the masked texts in place; the verdict is then true.',
      }),
    ),
    ...common,
  },
  { additionalProperties: false },
)

export const pii: Check<Filled<typeof parameters, 'redact' | 'scope' | 'timeout'>> = {
  id: 'pii',
  title: 'Pangea Redact',
  description:
    'Fails when the texts hold what the vendor’s rules would redact. The texts are sent to the vendor.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ redact, scope, timeout, ...given }, settings) {
    const ask = serviceOf('redact', given, settings)
    return {
      transforms: redact,
      async run(input, io) {
        const texts = textsOf(input, scope)
        if (texts.length === 0) return { verdict: true, data: { skipped: 'no text' } }
        const named = Object.fromEntries(texts.map(({ text }, index) => [nameAt(index), text]))
        const { count, redacted_data } = await ask(io, '/v1/redact_structured', {
          json: { data: named },
          timeoutMs: timeout,
        })
        if (typeof count !== 'number') return unreadable('Pangea')
        const masked = count > 0 ? maskedTexts(redacted_data, texts) : []
        const data = { count, paths: masked.map(({ path }) => path) }
        return redact && count > 0 ? replaceTexts(masked, data) : { verdict: count === 0, data }
      },
    }
  },
}

const nameAt = (index: number): string => `text${index}`

/** The changed texts, by path. */
function maskedTexts(redacted: JsonObject[string], texts: readonly TextPart[]): Change[] {
  if (!isObject(redacted)) return unreadable('Pangea')
  return texts.flatMap(({ path, text }, index) => {
    const masked = redacted[nameAt(index)]
    if (typeof masked !== 'string') return unreadable('Pangea')
    return masked === text ? [] : [{ path, before: text, after: masked }]
  })
}
