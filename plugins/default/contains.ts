/** `default.contains`: any, all or none of a list of words occur in the text. */
import type { Check, TextPart } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'
import { caseSensitive, choice, type Filled, scope } from './shared/parameters.ts'
import { partsInScope } from './shared/parts.ts'

const parameters = Type.Object(
  {
    words: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 10_000,
      description:
        'Words or phrases. Each counts wherever it occurs, inside of longer words too: "art" is in "party".',
    }),
    operator: Type.Optional(choice(['any', 'all', 'none'], 'How many of the words must occur.')),
    caseSensitive,
    scope,
  },
  { additionalProperties: false },
)

/** Where a word of the list stands: its number in the list, and the offset in UTF-16 units. */
interface Found {
  word: number
  path: string
  start: number
}

/** As many words as are reported. */
const maxReported = 10

export const contains: Check<Filled<typeof parameters>> = {
  id: 'contains',
  title: 'Contains words',
  description:
    'Passes when any, all or none of the words occur in the text. Words are reported by their number in the list ' +
    '(from 0), never by name.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ words, operator, caseSensitive, scope }) {
    const normalise = (text: string) => (caseSensitive ? text : text.toLowerCase())
    const wanted = words.map(normalise)
    return {
      windowed: operator === 'none',
      run(input) {
        const parts = partsInScope(input, scope)
        const texts = parts.map((part) => normalise(part.text))
        const found: Found[] = []
        const missing: number[] = []
        for (const [word, text] of wanted.entries()) {
          const place = locate(text, texts, parts)
          if (place === null) missing.push(word)
          else found.push({ word, ...place })
          if (place !== null && operator === 'any') break
        }
        const verdict =
          operator === 'any'
            ? found.length > 0
            : operator === 'all'
              ? missing.length === 0
              : found.length === 0
        return {
          verdict,
          data: { found: found.slice(0, maxReported), missing: missing.slice(0, maxReported) },
        }
      },
    }
  },
}

function locate(
  word: string,
  texts: readonly string[],
  parts: readonly TextPart[],
): { path: string; start: number } | null {
  for (let index = 0; index < texts.length; index++) {
    const start = texts[index]?.indexOf(word) ?? -1
    if (start >= 0) return { path: parts[index]?.path ?? '', start }
  }
  return null
}
