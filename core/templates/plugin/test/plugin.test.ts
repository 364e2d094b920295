import { describeChecks } from '@gateway/core/testing'
import plugin from '../index.ts'

describeChecks(plugin, [
  {
    name: 'passes a short text',
    check: 'maxWords',
    parameters: { max: 3 },
    text: 'just three words',
    verdict: true,
    data: { words: 3, max: 3 },
  },
  {
    name: 'refuses a longer one',
    check: 'maxWords',
    parameters: { max: 3 },
    text: 'one word too many',
    verdict: false,
    data: { words: 4, max: 3 },
  },
  {
    name: 'looks at the answer, too',
    check: 'maxWords',
    phase: 'after',
    parameters: { max: 1 },
    text: 'two words',
    verdict: false,
  },
  {
    name: 'wants a limit',
    check: 'maxWords',
    parameters: {},
    error: 'max',
  },
])
