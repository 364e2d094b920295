import { casesOf, describeChecks } from '@gateway/testing'
import plugin from '../index.ts'

const cases = casesOf('maxWords', [
  {
    name: 'passes a short text',
    parameters: { max: 3 },
    text: 'just three words',
    verdict: true,
    data: { words: 3, max: 3 },
  },
  {
    name: 'refuses a longer one',
    parameters: { max: 3 },
    text: 'one word too many',
    verdict: false,
    data: { words: 4, max: 3 },
  },
  {
    name: 'looks at the answer, too',
    phase: 'after',
    parameters: { max: 1 },
    text: 'two words',
    verdict: false,
  },
  { name: 'wants a limit', parameters: {}, error: 'max' },
])

// Adds the tests that every check must pass; each parameter needs a passing and a failing case.
describeChecks(plugin, cases, { everyParameter: true })
