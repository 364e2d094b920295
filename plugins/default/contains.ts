/** `default.contains`: any, all or none of a list of words occur in the text. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { caseSensitive, choice, type Filled, scope } from './shared/parameters.ts'
import { partsInScope } from './shared/parts.ts'
import { createAutomaton, type Spot, type WordFinder } from './word-automaton.ts'

const parameters = Type.Object(
  {
    words: Type.Array(Type.String({ minLength: 1 }), {
      minItems: 1,
      maxItems: 10_000,
      description: 'Words or phrases. Each also matches inside longer words: "art" is in "party".',
    }),
    operator: Type.Optional(choice(['any', 'all', 'none'], 'How many of the words must occur.')),
    caseSensitive,
    scope,
  },
  { additionalProperties: false },
)

/** Where a word of the list occurs: its number in the list, and the offset in UTF-16 units. */
interface Found {
  word: number
  path: string
  start: number
}

/** The most words that are reported. */
const maxReported = 10

/** Up to this many words, separate searches are faster than an automaton. */
const shortList = 16

export const contains: Check<Filled<typeof parameters>> = {
  id: 'contains',
  title: 'Contains words',
  description:
    'Passes when any, all or none of the words occur in the text. Words are reported by their number in the list ' +
    '(from 0), never as text.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ words, operator, caseSensitive, scope }) {
    const normalise = (text: string) => (caseSensitive ? text : text.toLowerCase())
    const wanted = words.map(normalise)
    const findWords = createWordFinder(wanted)
    return {
      windowed: operator === 'none',
      longestMatch: [...words, ...wanted].reduce((longest, { length }) => Math.max(longest, length), 0),
      run(input) {
        const parts = partsInScope(input, scope)
        const spots = findWords(
          parts.map((part) => normalise(part.text)),
          operator === 'any',
        )
        const found: Found[] = []
        const missing: number[] = []
        for (const [word, spot] of spots.entries()) {
          if (spot === null) missing.push(word)
          else if (spot !== undefined)
            found.push({ word, path: parts[spot.text]?.path ?? '', start: spot.start })
        }
        const verdicts = { any: found.length > 0, all: missing.length === 0, none: found.length === 0 }
        return {
          verdict: verdicts[operator],
          data: { found: found.slice(0, maxReported), missing: missing.slice(0, maxReported) },
        }
      },
    }
  },
}

function createWordFinder(words: readonly string[]): WordFinder {
  return words.length <= shortList ? oneByOne(words) : createAutomaton(words)
}

function oneByOne(words: readonly string[]): WordFinder {
  return (texts, isOneEnough) => {
    const spots: (Spot | null)[] = []
    for (const word of words) {
      const spot = findOne(word, texts)
      spots.push(spot)
      if (spot !== null && isOneEnough) break
    }
    return spots
  }
}

function findOne(word: string, texts: readonly string[]): Spot | null {
  for (const [text, candidate] of texts.entries()) {
    const start = candidate.indexOf(word)
    if (start >= 0) return { text, start }
  }
  return null
}
