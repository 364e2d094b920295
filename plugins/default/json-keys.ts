/** `default.jsonKeys`: every choice of an answer contains JSON with any, all or none of a list of keys. */
import { type Check, isObject } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { findJson } from './shared/find-json.ts'
import { choice, type Filled } from './shared/parameters.ts'
import { choiceTexts } from './shared/parts.ts'

const parameters = Type.Object(
  {
    keys: Type.Array(Type.String(), {
      minItems: 1,
      description: 'The keys, case-sensitive. Only keys at the top level of the JSON object count.',
    }),
    operator: Type.Optional(choice(['any', 'all', 'none'], 'How many of the keys must be present.')),
  },
  { additionalProperties: false },
)

type Operator = Filled<typeof parameters>['operator']

/** The keys of a choice by their number in the list. */
interface ChoiceResult {
  found: number[]
  missing: number[]
}

export const jsonKeys: Check<Filled<typeof parameters>> = {
  id: 'jsonKeys',
  title: 'JSON keys',
  description:
    'Passes when every choice is a JSON object, or has a fenced block of one, with any or all of the keys. With none, ' +
    'passes when no JSON object of any choice has one of them. Keys are reported by their number in the list (from 0).',
  kind: 'guardrail',
  phases: ['after'],
  parameters,
  prepare({ keys, operator }) {
    return {
      run(input) {
        const choices = choiceTexts(input).map((text) => examine(text, keys, operator))
        const isSaid = choices.length > 0 || operator === 'none'
        return { verdict: isSaid && choices.every((result) => isMet(result, operator)), data: { choices } }
      },
    }
  },
}

/** If the text has several objects, the one with most of the keys counts; with `none`, all of them. */
function examine(text: string, keys: readonly string[], operator: Operator): ChoiceResult {
  const numbers = findJson(text)
    .filter(isObject)
    .map((object) => [...keys.keys()].filter((number) => Object.hasOwn(object, keys[number] ?? '')))
  const most = numbers.reduce((best, next) => (next.length > best.length ? next : best), [])
  const found = operator === 'none' ? [...new Set(numbers.flat())] : most
  return { found, missing: [...keys.keys()].filter((number) => !found.includes(number)) }
}

function isMet({ found, missing }: ChoiceResult, operator: Operator): boolean {
  if (operator === 'any') return found.length > 0
  return operator === 'all' ? missing.length === 0 : found.length === 0
}
