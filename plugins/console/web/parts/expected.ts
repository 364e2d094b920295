/** What the answer to a test case of a prompt must say, and what is wrong with one that does not. */
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

function isMatch(text: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').test(text)
  } catch {
    // A pattern that cannot be read matches nothing.
    return false
  }
}

const holds: Readonly<Record<Expected['type'], (text: string, value: string) => boolean>> = {
  contains: (text, value) => text.includes(value),
  not_contains: (text, value) => !text.includes(value),
  equals: (text, value) => text.trim() === value.trim(),
  matches: isMatch,
  json: (text) => isJson(text),
}

/** What is compared, in words. */
export const expectedWords: Readonly<Record<Expected['type'], string>> = {
  contains: 'contains',
  not_contains: 'does not contain',
  equals: 'is exactly',
  matches: 'matches the pattern',
  json: 'is JSON',
}

/** @returns a sentence for each expectation that the answer does not meet */
export const failuresOf = (text: string, expected: readonly Expected[]): string[] =>
  expected
    .filter(({ type, value = '' }) => !holds[type](text, value))
    .map(
      ({ type, value = '' }) =>
        `Expected that it ${expectedWords[type]}${type === 'json' ? '' : ` "${value}"`}.`,
    )
