/** Cases of the checks that change texts: addPrefix, regexReplace. */

import type { JsonObject } from '@gateway/contract'
import { type CheckCase, casesOf } from '@gateway/testing'

const model = 'm'
const system = { role: 'system', content: 'Be kind.' }
const user = { role: 'user', content: 'Hello' }
const assistant = { role: 'assistant', content: 'Hello yourself' }
const empty = { role: 'user', content: '' }
const image = { type: 'image_url', image_url: { url: 'https://images.example/a.png' } }
const prefix = 'P: '
const prefixed = { role: 'user', content: 'P: Hello' }
const chat = (...messages: JsonObject[]): JsonObject => ({ model, messages })

const addPrefix = casesOf(
  'addPrefix',
  [
    {
      name: 'prefixes every user message',
      verdict: true,
      request: chat(system, user, assistant, user),
      transformed: chat(system, prefixed, assistant, prefixed),
      data: { changed: 2 },
    },
    {
      name: 'applyToRole: prefixes only the messages of that role',
      parameters: { prefix, applyToRole: 'system' },
      verdict: true,
      request: chat(system, user),
      transformed: chat({ role: 'system', content: 'P: Be kind.' }, user),
    },
    {
      name: 'adds a message at the end when the role has none',
      parameters: { prefix, applyToRole: 'assistant' },
      verdict: true,
      request: chat(system, user),
      transformed: chat(system, user, { role: 'assistant', content: prefix }),
      data: { changed: 1 },
    },
    {
      name: 'adds a system message in front if the request has none',
      parameters: { prefix, applyToRole: 'system' },
      verdict: true,
      request: chat(user),
      transformed: chat({ role: 'system', content: prefix }, user),
      data: { changed: 1 },
    },
    {
      name: 'prefixes the first text of a list',
      verdict: true,
      request: chat({ role: 'user', content: [image, { type: 'text', text: 'Hello' }] }),
      transformed: chat({ role: 'user', content: [image, { type: 'text', text: 'P: Hello' }] }),
    },
    {
      name: 'gives a text to a list of images',
      verdict: true,
      request: chat({ role: 'user', content: [image] }),
      transformed: chat({ role: 'user', content: [{ type: 'text', text: 'P: ' }, image] }),
    },
    {
      name: 'does not change a message with only tool calls',
      parameters: { prefix, applyToRole: 'assistant' },
      verdict: true,
      request: chat(user, { role: 'assistant', content: null, tool_calls: [] }),
      transformedText: null,
    },
    {
      name: 'addToExisting false: inserts a message before the first of the role',
      parameters: { prefix, addToExisting: false },
      verdict: true,
      request: chat(system, user, assistant, user),
      transformed: chat(system, { role: 'user', content: prefix }, user, assistant, user),
      data: { changed: 1 },
    },
    {
      name: 'addToExisting false: inserts a system message at the start',
      parameters: { prefix, addToExisting: false, applyToRole: 'system' },
      verdict: true,
      request: chat(user),
      transformed: chat({ role: 'system', content: prefix }, user),
    },
    {
      name: 'addToExisting false: adds a message of a new role at the end',
      parameters: { prefix, addToExisting: false, applyToRole: 'assistant' },
      verdict: true,
      request: chat(system, user),
      transformed: chat(system, user, { role: 'assistant', content: prefix }),
    },
    {
      name: 'onlyIfEmpty: prefixes only empty messages',
      parameters: { prefix, onlyIfEmpty: true },
      verdict: true,
      request: chat(user, empty),
      transformed: chat(user, { role: 'user', content: prefix }),
      data: { changed: 1 },
    },
    {
      name: 'onlyIfEmpty: does not take an image for nothing',
      parameters: { prefix, onlyIfEmpty: true },
      verdict: true,
      request: chat({ role: 'user', content: [image] }),
      transformedText: null,
    },
    {
      name: 'onlyIfEmpty, addToExisting false: inserts when the role has no text',
      parameters: { prefix, onlyIfEmpty: true, addToExisting: false, applyToRole: 'system' },
      verdict: true,
      request: chat(user),
      transformed: chat({ role: 'system', content: prefix }, user),
    },
    {
      name: 'onlyIfEmpty, addToExisting false: inserts nothing when the role has a text',
      parameters: { prefix, onlyIfEmpty: true, addToExisting: false, applyToRole: 'system' },
      verdict: true,
      request: chat(system, user),
      transformedText: null,
    },
    {
      name: 'prefixes the prompt of a completion',
      endpoint: 'complete',
      verdict: true,
      request: { model, prompt: 'Hello' },
      transformed: { model, prompt: 'P: Hello' },
    },
    {
      name: 'prefixes every prompt of a list',
      endpoint: 'complete',
      verdict: true,
      request: { model, prompt: ['a', 'b'] },
      transformed: { model, prompt: ['P: a', 'P: b'] },
      data: { changed: 2 },
    },
    {
      name: 'does not change prompts of tokens',
      endpoint: 'complete',
      verdict: true,
      request: { model, prompt: [1, 2, 3] },
      transformedText: null,
    },
    {
      name: 'does not change prompts for other roles',
      parameters: { prefix, applyToRole: 'system' },
      endpoint: 'complete',
      verdict: true,
      request: { model, prompt: 'Hello' },
      transformedText: null,
    },
    {
      name: 'prefixes the user’s messages in the format of messages, but not what tools gave back',
      endpoint: 'messages',
      verdict: true,
      request: {
        messages: [
          user,
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'r' }] },
          { role: 'user', content: [{ type: 'image', source: {} }] },
        ],
      },
      transformed: {
        messages: [
          prefixed,
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'r' }] },
          {
            role: 'user',
            content: [
              { type: 'text', text: prefix },
              { type: 'image', source: {} },
            ],
          },
        ],
      },
      data: { changed: 2 },
    },
    {
      name: 'prefixes the system prompt in the Messages format',
      endpoint: 'messages',
      parameters: { prefix, applyToRole: 'system' },
      verdict: true,
      request: { system: [{ type: 'text', text: 'Be kind.' }], messages: [user] },
      transformed: { system: [{ type: 'text', text: 'P: Be kind.' }], messages: [user] },
    },
    {
      name: 'addToExisting false: adds a system prompt in the Messages format',
      endpoint: 'messages',
      parameters: { prefix, applyToRole: 'system', addToExisting: false },
      verdict: true,
      request: { messages: [user] },
      transformed: { system: prefix, messages: [user] },
    },
    {
      name: 'prefixes the input of a response',
      endpoint: 'createModelResponse',
      verdict: true,
      request: { instructions: 'Be kind.', input: 'Hello' },
      transformed: { instructions: 'Be kind.', input: 'P: Hello' },
    },
    {
      name: 'prefixes the user’s items of a response',
      endpoint: 'createModelResponse',
      verdict: true,
      request: {
        input: [
          user,
          { type: 'reasoning', summary: [] },
          { role: 'user', content: [{ type: 'input_image' }] },
        ],
      },
      transformed: {
        input: [
          prefixed,
          { type: 'reasoning', summary: [] },
          { role: 'user', content: [{ type: 'input_text', text: prefix }, { type: 'input_image' }] },
        ],
      },
      data: { changed: 2 },
    },
    {
      name: 'addToExisting false: inserts before the input of a response',
      endpoint: 'createModelResponse',
      parameters: { prefix, addToExisting: false },
      verdict: true,
      request: { input: 'Hello' },
      transformed: { input: [{ role: 'user', content: prefix }, user] },
    },
    {
      name: 'prefixes the instructions of a response',
      endpoint: 'createModelResponse',
      parameters: { prefix, applyToRole: 'system' },
      verdict: true,
      request: { instructions: 'Be kind.', input: 'Hello' },
      transformed: { instructions: 'P: Be kind.', input: 'Hello' },
    },
    {
      name: 'onlyIfEmpty: leaves instructions of a response that say something',
      endpoint: 'createModelResponse',
      parameters: { prefix, applyToRole: 'system', onlyIfEmpty: true },
      verdict: true,
      request: { instructions: 'Be kind.', input: 'Hello' },
      transformedText: null,
    },
    {
      name: 'does not change an embedding input',
      endpoint: 'embed',
      verdict: true,
      request: { model, input: 'Hello' },
      transformedText: null,
    },
  ],
  { parameters: { prefix } },
)

const rule = '\\d{4,}'
const pin = (role: string) => ({ role, content: 'my 12345 pin' })
const masked = (role: string, mask = '[REDACTED]') => ({ role, content: `my ${mask} pin` })

const regexReplace = casesOf(
  'regexReplace',
  [
    {
      name: 'redacts the user’s messages, and no other’s',
      request: chat(pin('system'), pin('user'), pin('assistant')),
      verdict: true,
      transformed: chat(pin('system'), masked('user'), pin('assistant')),
      data: { matches: [{ path: '/messages/1/content', start: 3, end: 8 }], texts: 1 },
    },
    ...[
      ['all', 'd 12345', 'masked'],
      ['tool_definition', 'd [REDACTED]', 'pin'],
    ].map(([applyToRole = '', description, said]) => ({
      name: `applyToRole: ${applyToRole} changes only tool texts if it is the only role`,
      parameters: { rule, applyToRole },
      request: {
        ...chat(pin('user')),
        tools: [{ type: 'function', function: { name: 'f', description: 'd 12345' } }],
      },
      verdict: true,
      transformed: {
        ...chat(said === 'pin' ? pin('user') : masked('user')),
        tools: [{ type: 'function', function: { name: 'f', description } }],
      },
    })),
    {
      name: 'changes nothing when nothing matches',
      text: 'no pin',
      verdict: true,
      transformedText: null,
      data: { matches: [] },
    },
    {
      name: 'redactText: takes another text',
      parameters: { rule, redactText: '***' },
      text: 'my 12345 pin',
      verdict: true,
      transformedText: 'my *** pin',
    },
    {
      name: 'redactText: refers to groups',
      parameters: { rule: '(\\d)\\d{3,}', redactText: '$1…$$' },
      text: 'my 12345 pin',
      verdict: true,
      transformedText: 'my 1…$ pin',
    },
    {
      name: 'rule: accepts flags after slashes',
      parameters: { rule: '/PIN/i', redactText: '-' },
      text: 'my pin and Pin',
      verdict: true,
      transformedText: 'my - and -',
    },
    {
      name: 'failOnDetection: fails, and redacts all the same',
      parameters: { rule, failOnDetection: true },
      text: 'my 12345 pin',
      verdict: false,
      transformedText: 'my [REDACTED] pin',
    },
    {
      name: 'failOnDetection: passes when nothing matches',
      parameters: { rule, failOnDetection: true },
      text: 'no pin',
      verdict: true,
    },
    {
      name: 'applyToRole: redacts only that role',
      parameters: { rule, applyToRole: 'system' },
      request: chat(pin('system'), pin('user')),
      verdict: true,
      transformed: chat(masked('system'), pin('user')),
    },
    {
      name: 'applyToRole all: redacts every message',
      parameters: { rule, applyToRole: 'all' },
      request: chat(pin('system'), pin('user'), pin('assistant')),
      verdict: true,
      transformed: chat(masked('system'), masked('user'), masked('assistant')),
    },
    {
      name: 'redacts every choice of an answer, its tool calls and its reasoning',
      phase: 'after',
      response: {
        id: 'a1',
        choices: [
          {
            message: {
              role: 'assistant',
              content: 'pin 12345',
              reasoning_content: 'so 12345',
              tool_calls: [{ id: 'c', function: { name: '55555', arguments: '{"pin":"12345"}' } }],
            },
          },
          { message: { role: 'assistant', content: [{ type: 'text', text: '12345' }] } },
        ],
      },
      verdict: true,
      transformed: {
        id: 'a1',
        choices: [
          {
            message: {
              role: 'assistant',
              content: 'pin [REDACTED]',
              reasoning_content: 'so [REDACTED]',
              tool_calls: [{ id: 'c', function: { name: '55555', arguments: '{"pin":"[REDACTED]"}' } }],
            },
          },
          { message: { role: 'assistant', content: [{ type: 'text', text: '[REDACTED]' }] } },
        ],
      },
    },
    {
      name: 'applyToRole: does not change the answer for another role',
      parameters: { rule, applyToRole: 'user' },
      phase: 'after',
      text: 'my 12345 pin',
      verdict: true,
      transformedText: null,
    },
    {
      name: 'redacts query and documents of a rerank',
      endpoint: 'rerank',
      request: { model, query: '12345', documents: ['a 12345', { text: 'b 12345', id: 12345 }] },
      verdict: true,
      transformed: {
        model,
        query: '[REDACTED]',
        documents: ['a [REDACTED]', { text: 'b [REDACTED]', id: 12345 }],
      },
    },
    {
      name: 'redacts an embedding’s input',
      endpoint: 'embed',
      request: { model, input: ['12345', 'b'] },
      verdict: true,
      transformed: { model, input: ['[REDACTED]', 'b'] },
    },
    {
      name: 'leaves JSON an object when a number in it goes',
      phase: 'after',
      endpoint: 'messages',
      response: {
        content: [
          { type: 'tool_use', id: 't', name: 'f', input: { pin: 12345, 'a 12345': 'my 12345', n: 7 } },
        ],
      },
      verdict: true,
      transformed: {
        content: [
          {
            type: 'tool_use',
            id: 't',
            name: 'f',
            input: { pin: '[REDACTED]', 'a [REDACTED]': 'my [REDACTED]', n: 7 },
          },
        ],
      },
    },
    {
      name: 'leaves JSON an object when the rule matches within an escape',
      phase: 'after',
      response: {
        choices: [
          { message: { tool_calls: [{ function: { name: 'f', arguments: '{"a":"\\u0000 12345"}' } }] } },
        ],
      },
      verdict: true,
      transformed: {
        choices: [
          { message: { tool_calls: [{ function: { name: 'f', arguments: '{"a":"\\u0000 [REDACTED]"}' } }] } },
        ],
      },
    },
    { name: 'refuses a broken rule', parameters: { rule: '[' }, error: 'not a valid pattern' },
  ],
  { parameters: { rule } },
)

export const rows: readonly CheckCase[] = [...addPrefix, ...regexReplace]
