/** `default.wordCount`: the text has a number of words within bounds. */
import type { Check, CheckInput, TextPart } from '@gateway/core/contract'
import { Type } from '@sinclair/typebox'
import { type Filled, not, scope } from './shared/parameters.ts'
import { choiceTexts, partsInScope } from './shared/parts.ts'

const bound = (value: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, default: value, description }))

const parameters = Type.Object(
  {
    minWords: bound(0, 'The fewest words that pass.'),
    maxWords: bound(99_999, 'The most words that pass.'),
    not,
    scope,
  },
  { additionalProperties: false },
)

export const wordCount: Check<Filled<typeof parameters>> = {
  id: 'wordCount',
  title: 'Word count',
  description:
    'Passes when the text has at least minWords and at most maxWords words; a word is a run without white space. ' +
    'A request is counted as a whole, an answer choice by choice (its content alone): every choice must be within.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare({ minWords, maxWords, not, scope }) {
    if (minWords > maxWords) throw new Error(`minWords (${minWords}) is more than maxWords (${maxWords})`)
    return {
      run(input) {
        const words = input.phase === 'after' ? answerCounts(input) : [countParts(partsInScope(input, scope))]
        const within = words.every((count) => count >= minWords && count <= maxWords)
        return { verdict: within !== not, data: { words, minWords, maxWords } }
      },
    }
  },
}

/** An answer without choices counts as one that says nothing. */
function answerCounts(input: CheckInput): number[] {
  const counts = choiceTexts(input).map(countWords)
  return counts.length === 0 ? [0] : counts
}

function countParts(parts: readonly TextPart[]): number {
  return parts.reduce((sum, part) => sum + countWords(part.text), 0)
}

function countWords(text: string): number {
  let count = 0
  let inside = false
  for (let offset = 0; offset < text.length; offset++) {
    const code = text.charCodeAt(offset)
    const space =
      code <= 0x20 ? code === 0x20 || (code >= 9 && code <= 13) : code >= 0xa0 && isWideSpace(code)
    if (!space && !inside) count++
    inside = !space
  }
  return count
}

/** White space beyond ASCII, as the language's own `\s` knows it. */
function isWideSpace(code: number): boolean {
  return (code >= 0x2000 && code <= 0x200a) || otherSpaces.includes(code)
}

const otherSpaces = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
