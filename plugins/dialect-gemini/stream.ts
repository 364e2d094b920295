/**
 * Chat chunks → events with partial answers. The usage arrives with the last chunk, so the finish reasons are sent
 * after it.
 * Reference: https://ai.google.dev/api/generate-content (streamGenerateContent)
 */
import { isObject, type JsonObject } from '@gateway/contract'
import { type ClientStream, type DialectContext, indexed } from '@gateway/contract/dialect'
import { blocked } from './answer.ts'
import { type ChoiceStream, createChoiceStream } from './choice-stream.ts'
import { logprobsOf } from './finish.ts'
import { textOf } from './parts.ts'
import { usageMetadataOf } from './usage.ts'

/** Creates the translator of one stream. */
export function contentStream(context: DialectContext): ClientStream {
  const choices = new Map<number, ChoiceStream>()
  let model = textOf(context.request.model)
  let responseId = ''
  let usage: JsonObject = {}

  const about = (): JsonObject => ({ modelVersion: model, responseId })

  function choiceAt(index: number): ChoiceStream {
    const known = choices.get(index) ?? createChoiceStream(index, context)
    choices.set(index, known)
    return known
  }

  return {
    chunk(chunk) {
      model = textOf(chunk.model) || model
      responseId ||= textOf(chunk.id) || context.id('')
      if (isObject(chunk.usage)) usage = chunk.usage
      return indexed(chunk.choices).flatMap(([index, choice]): JsonObject[] => {
        const parts = choiceAt(index).read(choice)
        if (parts.length === 0) return []
        return [
          { candidates: [{ content: { parts, role: 'model' }, index, ...logprobsOf(choice) }], ...about() },
        ]
      })
    },
    end() {
      responseId ||= context.id('')
      const usageMetadata = usageMetadataOf(usage)
      const all = choices.size === 0 ? [choiceAt(0)] : [...choices.values()]
      if (all.every((choice) => choice.isBlocked())) return [{ ...blocked, usageMetadata, ...about() }]
      return [{ candidates: all.map((choice) => choice.end()), usageMetadata, ...about() }]
    },
  }
}
