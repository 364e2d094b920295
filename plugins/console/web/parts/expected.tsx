/** Expectations of a prompt's test case, and the reasons why an answer does not meet them. */
import type { Schema } from '../api-types.ts'

export type TestCase = NonNullable<Schema<'Prompt'>['test_cases']>[number]
export type Expected = TestCase['expected'][number]

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Names of the comparisons. */
export const expectedWords: Readonly<Record<Expected['type'], string>> = {
  contains: 'contains',
  not_contains: 'does not contain',
  equals: 'is exactly',
  matches: 'matches the pattern',
  json: 'is JSON',
}

/**
 * Uses the gateway's regular expression engine, because the browser's own takes exponential time for some patterns. The
 * engine is loaded for the first pattern.
 * @throws Error with the reason if the pattern is invalid
 */
async function isMatch(text: string, pattern: string): Promise<boolean> {
  const { compilePattern } = await import('@gateway/pattern')
  return compilePattern(pattern).test(text)
}

const holds: Readonly<Record<Expected['type'], (text: string, value: string) => boolean | Promise<boolean>>> =
  {
    contains: (text, value) => text.includes(value),
    not_contains: (text, value) => !text.includes(value),
    equals: (text, value) => text.trim() === value.trim(),
    matches: isMatch,
    json: isJson,
  }

async function failureOf(text: string, { type, value = '' }: Expected): Promise<string | null> {
  const expectation = `${expectedWords[type]}${type === 'json' ? '' : ` "${value}"`}`
  try {
    return (await holds[type](text, value)) ? null : `Expected that it ${expectation}.`
  } catch (error) {
    return `The pattern "${value}" cannot be used: ${error instanceof Error ? error.message : String(error)}.`
  }
}

/** @returns one sentence for each expectation that the answer does not meet */
export async function failuresOf(text: string, expected: readonly Expected[]): Promise<string[]> {
  const found = await Promise.all(expected.map((one) => failureOf(text, one)))
  return found.filter((one) => one !== null)
}
