/** Cases of the checks of a text's form: endsWith, sentenceCount, characterCount, alllowercase, alluppercase, notNull. */
import type { JsonObject } from '@gateway/contract'
import { type CheckCase, casesOf } from '@gateway/testing'
import { answers, dialogue, image, model, toolCall, user } from './bodies.ts'

/** An answer of /v1/messages. */
const message = (...content: JsonObject[]): JsonObject => ({ role: 'assistant', content })
/** An answer of /v1/responses. */
const response = (...output: JsonObject[]): JsonObject => ({ object: 'response', output })
const said = (text: string): JsonObject => ({
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const thought: JsonObject = {
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text: 'hm' }],
}

const endsWith = casesOf(
  'endsWith',
  [
    { name: 'passes on the suffix', text: 'We say thank you', verdict: true, data: { ended: [true] } },
    { name: 'passes with a full stop after it', text: 'We say thank you.', verdict: true },
    { name: 'passes with white space after it', text: 'We say thank you. \n', verdict: true },
    { name: 'fails on another end', text: 'thank you very much', verdict: false, data: { ended: [false] } },
    { name: 'fails in another case', text: 'Thank You', verdict: false },
    {
      name: 'not: fails on the suffix',
      parameters: { suffix: 'thank you', not: true },
      text: 'thank you',
      verdict: false,
    },
    {
      name: 'not: passes on another end',
      parameters: { suffix: 'thank you', not: true },
      text: 'thanks',
      verdict: true,
    },
    {
      name: 'looks at the last message',
      request: { model, messages: [user('no'), user('thank you')] },
      verdict: true,
    },
    {
      name: 'does not look at older messages',
      request: { model, messages: [user('thank you'), user('no')] },
      verdict: false,
    },
    {
      name: 'fails when the last message is an image',
      request: { model, messages: [user('thank you'), { role: 'user', content: [image] }] },
      verdict: false,
    },
    {
      name: 'wants every choice to end so',
      phase: 'after',
      response: answers('thank you', 'no'),
      verdict: false,
    },
    {
      name: 'passes when every choice ends so',
      phase: 'after',
      response: answers('thank you', 'So, thank you'),
      verdict: true,
    },
    {
      name: 'reads the content of messages, not their reasoning',
      phase: 'after',
      endpoint: 'messages',
      response: message({ type: 'text', text: 'thank you' }, { type: 'thinking', thinking: 'hm' }),
      verdict: true,
    },
    {
      name: 'reads the content of responses, not their reasoning',
      phase: 'after',
      endpoint: 'createModelResponse',
      response: response(said('thank you'), thought),
      verdict: true,
    },
    {
      name: 'reads the input of responses, not their instructions',
      endpoint: 'createModelResponse',
      request: { model, instructions: 'Be kind.', input: 'thank you' },
      verdict: true,
    },
    { name: 'refuses an empty suffix', parameters: { suffix: '' }, error: '/suffix' },
  ],
  { parameters: { suffix: 'thank you' } },
)

const three = 'One. Two! Three?'

const sentenceCount = casesOf('sentenceCount', [
  {
    name: 'counts a request as a whole',
    request: dialogue,
    verdict: true,
    data: { sentences: [3], minSentences: 0, maxSentences: 99999 },
  },
  { name: 'minSentences: passes at the bound', parameters: { minSentences: 3 }, text: three, verdict: true },
  { name: 'minSentences: fails below it', parameters: { minSentences: 4 }, text: three, verdict: false },
  { name: 'maxSentences: passes at the bound', parameters: { maxSentences: 3 }, text: three, verdict: true },
  { name: 'maxSentences: fails above it', parameters: { maxSentences: 2 }, text: three, verdict: false },
  {
    name: 'not: fails within the bounds',
    parameters: { maxSentences: 3, not: true },
    text: three,
    verdict: false,
  },
  {
    name: 'not: passes beyond the bounds',
    parameters: { maxSentences: 2, not: true },
    text: three,
    verdict: true,
  },
  {
    name: 'scope last: counts the last message',
    parameters: { maxSentences: 1, scope: 'last' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'scope all: counts all of them',
    parameters: { maxSentences: 1, scope: 'all' },
    request: dialogue,
    verdict: false,
  },
  {
    name: 'counts each choice of an answer',
    parameters: { maxSentences: 1 },
    phase: 'after',
    response: answers('One.', 'One. Two.'),
    verdict: false,
    data: { sentences: [1, 2], minSentences: 0, maxSentences: 1 },
  },
  {
    name: 'refuses bounds that nothing can meet',
    parameters: { minSentences: 2, maxSentences: 1 },
    error: 'minSentences',
  },
])

const characterCount = casesOf('characterCount', [
  {
    name: 'minCharacters: passes at the bound',
    parameters: { minCharacters: 5 },
    text: 'a b c',
    verdict: true,
    data: { characters: [5], minCharacters: 5, maxCharacters: 9999999 },
  },
  { name: 'minCharacters: fails below it', parameters: { minCharacters: 6 }, text: 'a b c', verdict: false },
  {
    name: 'maxCharacters: passes at the bound',
    parameters: { maxCharacters: 5 },
    text: 'a b c',
    verdict: true,
  },
  { name: 'maxCharacters: fails above it', parameters: { maxCharacters: 4 }, text: 'a b c', verdict: false },
  {
    name: 'not: fails within the bounds',
    parameters: { maxCharacters: 5, not: true },
    text: 'a b c',
    verdict: false,
  },
  {
    name: 'not: passes beyond the bounds',
    parameters: { maxCharacters: 4, not: true },
    text: 'a b c',
    verdict: true,
  },
  {
    name: 'scope last: counts the last message',
    parameters: { maxCharacters: 12, scope: 'last' },
    request: dialogue,
    verdict: true,
  },
  {
    name: 'scope all: counts all of them',
    parameters: { maxCharacters: 12 },
    request: dialogue,
    verdict: false,
  },
  {
    name: 'counts code points, not their halves',
    parameters: { maxCharacters: 3 },
    text: '😀é日',
    verdict: true,
    data: { characters: [3], minCharacters: 0, maxCharacters: 3 },
  },
  {
    name: 'counts each choice of an answer',
    parameters: { minCharacters: 2 },
    phase: 'after',
    response: answers('ab', 'a'),
    verdict: false,
    data: { characters: [2, 1], minCharacters: 2, maxCharacters: 9999999 },
  },
  {
    name: 'counts the text of a transcript once',
    parameters: { maxCharacters: 2 },
    phase: 'after',
    endpoint: 'createTranscription',
    response: { text: 'ab', segments: [{ text: 'ab' }] },
    verdict: true,
  },
  {
    name: 'refuses bounds that nothing can meet',
    parameters: { minCharacters: 2, maxCharacters: 1 },
    error: 'minCharacters',
  },
])

const shouting = { model, messages: [user('quiet'), user('LOUD, 1 2 3!')] }

const alluppercase = casesOf('alluppercase', [
  { name: 'passes without a small letter', text: 'LOUD É Ж 1', verdict: true, data: { found: [] } },
  {
    name: 'fails on a lower-case letter, and reports its position',
    text: 'LOUd',
    verdict: false,
    data: { found: [{ path: '/messages/0/content', start: 3 }] },
  },
  { name: 'passes a text without letters', text: '1 + 1 = 2 日本', verdict: true },
  { name: 'not: fails without a small letter', parameters: { not: true }, text: 'LOUD', verdict: false },
  { name: 'not: passes on a small letter', parameters: { not: true }, text: 'Loud', verdict: true },
  {
    name: 'scope last: looks at the last message',
    parameters: { scope: 'last' },
    request: shouting,
    verdict: true,
  },
  {
    name: 'scope all: looks at all of them',
    parameters: { scope: 'all' },
    request: shouting,
    verdict: false,
  },
  {
    name: 'looks at every choice',
    phase: 'after',
    response: answers('LOUD', 'quiet'),
    verdict: false,
    data: { found: [{ path: '/choices/1/message/content', start: 0 }] },
  },
  {
    name: 'does not look at the calls of tools',
    phase: 'after',
    response: { choices: [toolCall] },
    verdict: true,
  },
])

const alllowercase = casesOf('alllowercase', [
  { name: 'passes without a capital', text: 'quiet ß é ж 1', verdict: true, data: { found: [] } },
  {
    name: 'fails on an upper-case letter, and reports its position',
    text: 'quieT',
    verdict: false,
    data: { found: [{ path: '/messages/0/content', start: 4 }] },
  },
  { name: 'not: fails without a capital', parameters: { not: true }, text: 'quiet', verdict: false },
  { name: 'not: passes on a capital', parameters: { not: true }, text: 'Quiet', verdict: true },
  {
    name: 'scope last: looks at the last message',
    parameters: { scope: 'last' },
    request: { model, messages: [user('LOUD'), user('quiet')] },
    verdict: true,
  },
  {
    name: 'scope all: looks at all of them',
    request: { model, messages: [user('LOUD'), user('quiet')] },
    verdict: false,
  },
])

const notNull = casesOf('notNull', [
  { name: 'passes a non-empty answer', text: 'yes', verdict: true, data: { filled: [true] } },
  { name: 'fails an empty one', text: '', verdict: false, data: { filled: [false] } },
  { name: 'fails white space', text: ' \n', verdict: false },
  {
    name: 'fails null',
    response: { choices: [{ message: { role: 'assistant', content: null } }] },
    verdict: false,
  },
  { name: 'fails an answer without choices', response: {}, verdict: false },
  {
    name: 'wants every choice to say something',
    response: answers('yes', ''),
    verdict: false,
    data: { filled: [true, false] },
  },
  { name: 'passes a choice that calls a tool', response: { choices: [toolCall] }, verdict: true },
  {
    name: 'not: fails a non-empty answer',
    parameters: { not: true },
    text: 'yes',
    verdict: false,
  },
  { name: 'not: passes an empty one', parameters: { not: true }, text: '', verdict: true },
  {
    name: 'fails messages that only think',
    endpoint: 'messages',
    response: message({ type: 'thinking', thinking: 'hm' }),
    verdict: false,
  },
  {
    name: 'passes messages that use a tool',
    endpoint: 'messages',
    response: message({ type: 'tool_use', name: 'f', input: {} }),
    verdict: true,
  },
  {
    name: 'fails responses that only think',
    endpoint: 'createModelResponse',
    response: response(thought),
    verdict: false,
  },
  {
    name: 'passes responses that call a function',
    endpoint: 'createModelResponse',
    response: response({ type: 'function_call', name: 'f', arguments: '' }),
    verdict: true,
  },
])

export const rows: readonly CheckCase[] = [
  ...endsWith,
  ...sentenceCount,
  ...characterCount,
  ...alluppercase,
  ...alllowercase,
  ...notNull,
]
