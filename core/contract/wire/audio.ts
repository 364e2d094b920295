/**
 * Speech, transcription and translation requests of the compatible format. The last two take the audio file as part of
 * a form. Models, voices and formats depend on the provider. Reference:
 * https://platform.openai.com/docs/api-reference/audio
 */
import { Type } from '@sinclair/typebox'
import { optional } from './rules.ts'
import type { FormRules } from './uploads.ts'

const model = Type.String({ minLength: 1 })
const temperature = optional(Type.Number({ minimum: 0, maximum: 1 }))
const text = optional(Type.String())
const texts = optional(Type.Array(Type.String()))

export const speechRequest = Type.Object(
  {
    model,
    input: Type.String({ minLength: 1 }),
    // A voice's name, or the id of a custom voice.
    voice: optional(
      Type.Union([Type.String(), Type.Object({ id: Type.String() }, { additionalProperties: true })], {
        explain: 'must be the name of a voice, or an object with its id',
      }),
    ),
    instructions: text,
    response_format: text,
    speed: optional(Type.Number({ minimum: 0.25, maximum: 4 })),
    stream_format: optional(
      Type.Union([Type.Literal('audio'), Type.Literal('sse')], { explain: 'must be audio or sse' }),
    ),
  },
  { additionalProperties: true },
)

const turnDetection = Type.Object(
  {
    type: Type.String(),
    prefix_padding_ms: optional(Type.Integer({ minimum: 0 })),
    silence_duration_ms: optional(Type.Integer({ minimum: 0 })),
    threshold: optional(Type.Number({ minimum: 0, maximum: 1 })),
  },
  { additionalProperties: true },
)

export const transcriptionRequest = Type.Object(
  {
    model,
    chunking_strategy: optional(
      Type.Union([Type.Literal('auto'), turnDetection], {
        explain: 'must be auto, or an object with a type',
      }),
    ),
    include: texts,
    known_speaker_names: texts,
    known_speaker_references: texts,
    language: text,
    prompt: text,
    response_format: text,
    stream: optional(Type.Boolean()),
    temperature,
    timestamp_granularities: optional(
      Type.Array(
        Type.Union([Type.Literal('word'), Type.Literal('segment')], { explain: 'must be word or segment' }),
      ),
    ),
  },
  { additionalProperties: true },
)

export const translationRequest = Type.Object(
  { model, prompt: text, response_format: text, temperature },
  { additionalProperties: true },
)

/** Some providers take the URL of a file instead. */
export const audioForm: FormRules = {
  files: [{ field: 'file', least: 1, most: 1, unless: ['url'] }],
  orJson: false,
}
