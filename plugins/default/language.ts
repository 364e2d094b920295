/** `default.language`: a request is written in a language of a list. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { detectLanguage, languageCodes, sampleChars } from './shared/detect-language.ts'
import { type Filled, not, scope } from './shared/parameters.ts'
import { spokenParts } from './shared/parts.ts'

const parameters = Type.Object(
  {
    language: Type.Array(Type.Unsafe<string>({ type: 'string', enum: [...languageCodes.keys()] }), {
      minItems: 1,
      description: 'Languages by their ISO 639 code, of two letters (en) or three (eng).',
    }),
    not,
    scope,
  },
  { additionalProperties: false },
)

/** The total length of text that is examined; of each text at least enough for an estimate. */
const wholeSampleChars = 2000
const leastSampleChars = 100
/** The most places that are reported. */
const maxReported = 10

export const language: Check<Filled<typeof parameters>> = {
  id: 'language',
  title: 'Language',
  description:
    'Passes when every text in scope seems to be written in one of the languages; with not, when none does. The language ' +
    'is an estimate from script, common words and letters, without a model: texts of a few words and JSON stay ' +
    'undecided and pass, related languages are sometimes confused, and unsupported languages are taken for the nearest one.',
  kind: 'guardrail',
  phases: ['before'],
  parameters,
  prepare({ language, not, scope }) {
    const wanted = new Set(language.map((code) => languageCodes.get(code)))
    return {
      run(input) {
        const parts = spokenParts(input, scope)
        const chars = Math.min(
          sampleChars,
          Math.max(leastSampleChars, Math.floor(wholeSampleChars / parts.length)),
        )
        const found = parts.flatMap(({ path, text }) => {
          const estimate = detectLanguage(text, chars)
          return estimate === null ? [] : [{ path, estimate }]
        })
        const verdict = found.every(({ estimate }) => wanted.has(estimate) !== not)
        return {
          verdict,
          data: { found: found.slice(0, maxReported), undecided: parts.length - found.length },
        }
      },
    }
  },
}
