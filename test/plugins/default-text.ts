/** Cases of the checks that look at texts: regexMatch, contains, wordCount. */

import { type CheckCase, casesOf } from '@gateway/testing'
import { answers, dialogue, image, model, toolCall, user } from './bodies.ts'

const regexMatch = casesOf('regexMatch', [
  {
    name: 'passes when the rule matches, and reports the position',
    parameters: { rule: 'z[a-z]+a' },
    request: dialogue,
    verdict: true,
    data: { matches: [{ path: '/messages/0/content', start: 10, end: 15 }] },
  },
  {
    name: 'fails when the rule matches nowhere',
    parameters: { rule: 'giraffe' },
    request: dialogue,
    verdict: false,
    data: { matches: [] },
  },
  {
    name: 'with not, fails on the match in any message',
    parameters: { rule: 'zebra', not: true },
    request: dialogue,
    verdict: false,
    data: { matches: [{ path: '/messages/0/content', start: 10, end: 15 }] },
  },
  {
    name: 'with not, passes when nothing matches',
    parameters: { rule: 'giraffe', not: true },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'with scope last, checks only the last message',
    parameters: { rule: 'zebra', scope: 'last' },
    request: dialogue,
    verdict: false,
  },
  {
    name: 'with scope last, does not go back to an older message when the last is an image',
    parameters: { rule: 'zebra', scope: 'last' },
    request: { model, messages: [user('zebra'), { role: 'user', content: [image] }] },
    verdict: false,
  },
  {
    name: 'with scope last, looks at the whole prompt of a completion',
    parameters: { rule: 'first', scope: 'last' },
    endpoint: 'complete',
    request: { model, prompt: ['first', 'second'] },
    verdict: true,
  },
  {
    name: 'with scope last, checks only the last message of /v1/messages',
    parameters: { rule: 'zebra', scope: 'last' },
    endpoint: 'messages',
    request: { system: 'zebra', messages: [user('zebra'), user('horse')] },
    verdict: false,
  },
  {
    name: 'with scope last, checks only the last input item of a response',
    parameters: { rule: 'zebra', scope: 'last' },
    endpoint: 'createModelResponse',
    request: { instructions: 'zebra', input: [user('zebra'), user('horse')] },
    verdict: false,
  },
  {
    name: 'with scope last, looks at a response’s input without its instructions',
    parameters: { rule: 'zebra', scope: 'last' },
    endpoint: 'createModelResponse',
    request: { instructions: 'zebra', input: 'horse' },
    verdict: false,
  },
  {
    name: 'looks at all of messages, system and results of tools included',
    parameters: { rule: 'zebra' },
    endpoint: 'messages',
    request: { messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'zebra' }] }] },
    verdict: true,
  },
  {
    name: 'accepts flags after slashes',
    parameters: { rule: '/ZEBRA/i', not: true },
    text: 'a zebra',
    verdict: false,
  },
  {
    name: 'matches in no two messages at once',
    parameters: { rule: 'two\\s+the' },
    request: dialogue,
    verdict: false,
  },
  {
    name: 'takes the ends of each message for ends of the text',
    parameters: { rule: '^one two$' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'counts offsets as strings do',
    parameters: { rule: 'b', not: true },
    text: '🧑 b',
    verdict: false,
    data: { matches: [{ path: '/messages/0/content', start: 3, end: 4 }] },
  },
  {
    name: 'reports at most ten places',
    parameters: { rule: 'a', not: true },
    text: 'a'.repeat(12),
    verdict: false,
    data: {
      matches: Array.from({ length: 10 }, (_, start) => ({
        path: '/messages/0/content',
        start,
        end: start + 1,
      })),
    },
  },
  {
    name: 'looks at every choice of an answer',
    parameters: { rule: 'zebra', not: true, scope: 'last' },
    phase: 'after',
    response: answers('fine', 'a zebra'),
    verdict: false,
    data: { matches: [{ path: '/choices/1/message/content', start: 2, end: 7 }] },
  },
  {
    name: 'looks at the arguments of tool calls',
    parameters: { rule: 'zebra', not: true },
    phase: 'after',
    response: { choices: [toolCall] },
    verdict: false,
    data: {
      matches: [{ path: '/choices/0/message/tool_calls/0/function/arguments', start: 7, end: 12 }],
    },
  },
  { name: 'refuses a broken rule', parameters: { rule: '(' }, error: 'the rule is not a valid pattern' },
  { name: 'refuses look-around', parameters: { rule: '(?=a)b' }, error: 'the rule is not a valid pattern' },
  { name: 'refuses an unknown flag', parameters: { rule: '/a/q' }, error: 'unknown flag "q"' },
])

const contains = casesOf('contains', [
  {
    name: 'passes by default when any word occurs',
    parameters: { words: ['giraffe', 'zebra'] },
    request: dialogue,
    verdict: true,
    data: { found: [{ word: 1, path: '/messages/0/content', start: 10 }], missing: [0] },
  },
  {
    name: 'any: fails when no word occurs',
    parameters: { words: ['giraffe'], operator: 'any' },
    request: dialogue,
    verdict: false,
    data: { found: [], missing: [0] },
  },
  {
    name: 'all: passes when every word occurs, in any messages',
    parameters: { words: ['zebra', 'two'], operator: 'all' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'all: fails when one word is missing',
    parameters: { words: ['zebra', 'giraffe'], operator: 'all' },
    request: dialogue,
    verdict: false,
    data: { found: [{ word: 0, path: '/messages/0/content', start: 10 }], missing: [1] },
  },
  {
    name: 'none: passes when no word occurs',
    parameters: { words: ['giraffe'], operator: 'none' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'none: fails on one word, and does not name it',
    parameters: { words: ['confidential'], operator: 'none' },
    text: 'confidential',
    verdict: false,
    data: { found: [{ word: 0, path: '/messages/0/content', start: 0 }], missing: [] },
  },
  {
    name: 'finds words inside of longer words',
    parameters: { words: ['art'] },
    text: 'a party',
    verdict: true,
  },
  {
    name: 'takes upper and lower case for the same',
    parameters: { words: ['ZÜRICH'] },
    text: 'in Zürich',
    verdict: true,
  },
  {
    name: 'caseSensitive: distinguishes upper and lower case',
    parameters: { words: ['ZÜRICH'], caseSensitive: true },
    text: 'in Zürich',
    verdict: false,
  },
  {
    name: 'caseSensitive: finds the same spelling',
    parameters: { words: ['Zürich'], caseSensitive: true },
    text: 'in Zürich',
    verdict: true,
  },
  {
    name: 'scope last: fails when only an older message has the word',
    parameters: { words: ['zebra'], scope: 'last' },
    request: dialogue,
    verdict: false,
  },
  {
    name: 'scope last: passes when the last message has it',
    parameters: { words: ['last'], scope: 'last' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'none: looks at the documents of a rerank',
    parameters: { words: ['zebra'], operator: 'none' },
    endpoint: 'rerank',
    request: { model, query: 'animals', documents: ['a lion', { text: 'a zebra' }] },
    verdict: false,
    data: { found: [{ word: 0, path: '/documents/1/text', start: 2 }], missing: [] },
  },
])

const wordCount = casesOf('wordCount', [
  {
    name: 'passes with the default bounds',
    text: '',
    verdict: true,
    data: { words: [0], minWords: 0, maxWords: 99_999 },
  },
  {
    name: 'counts the text of messages, without thinking and calls',
    parameters: { maxWords: 2 },
    phase: 'after',
    endpoint: 'messages',
    response: {
      content: [
        { type: 'thinking', thinking: 'one two three' },
        { type: 'text', text: 'one two' },
        { type: 'tool_use', name: 'f', input: { a: 'one two three' } },
      ],
    },
    verdict: true,
    data: { words: [2], minWords: 0, maxWords: 2 },
  },
  {
    name: 'counts the text of responses, without reasoning',
    parameters: { maxWords: 2 },
    phase: 'after',
    endpoint: 'createModelResponse',
    response: {
      output: [
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'one two three' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'one two' }] },
      ],
    },
    verdict: true,
    data: { words: [2], minWords: 0, maxWords: 2 },
  },
  {
    name: 'passes at the lower bound',
    parameters: { minWords: 3 },
    text: 'one  two\n three ',
    verdict: true,
  },
  { name: 'fails below the lower bound', parameters: { minWords: 4 }, text: 'one two three', verdict: false },
  { name: 'passes at the upper bound', parameters: { maxWords: 3 }, text: 'one two three', verdict: true },
  { name: 'fails above the upper bound', parameters: { maxWords: 2 }, text: 'one two three', verdict: false },
  {
    name: 'not: fails within the bounds',
    parameters: { maxWords: 3, not: true },
    text: 'one',
    verdict: false,
  },
  {
    name: 'not: passes outside the bounds',
    parameters: { maxWords: 3, not: true },
    text: '1 2 3 4',
    verdict: true,
  },
  {
    name: 'counts wide spaces as spaces',
    text: 'one\u00a0two\u3000three',
    verdict: true,
    data: { words: [3], minWords: 0, maxWords: 99_999 },
  },
  {
    name: 'counts the whole conversation together',
    parameters: { minWords: 8, maxWords: 8 },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'scope last: counts only the last message',
    parameters: { minWords: 3, maxWords: 3, scope: 'last' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'wants every choice of an answer to be within the bounds',
    parameters: { maxWords: 2 },
    phase: 'after',
    response: answers('one two', 'one two three'),
    verdict: false,
    data: { words: [2, 3], minWords: 0, maxWords: 2 },
  },
  {
    name: 'does not count content twice when it is also in blocks',
    parameters: { maxWords: 2 },
    phase: 'after',
    response: {
      choices: [{ message: { content: 'one two', content_blocks: [{ type: 'text', text: 'one two' }] } }],
    },
    verdict: true,
  },
  {
    name: 'refuses bounds the wrong way round',
    parameters: { minWords: 3, maxWords: 2 },
    error: 'minWords (3)',
  },
])

export const rows: readonly CheckCase[] = [...regexMatch, ...contains, ...wordCount]
