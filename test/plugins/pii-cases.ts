/** Cases of `default.pii`: a pass and a fail for each parameter, redacted and restored texts. */
import { type CheckCase, casesOf } from '@gateway/testing'
import { answers, model, user } from './bodies.ts'

const address = 'bob@example.com'
const card = '4111 1111 1111 1111'
const text = `Write to ${address} or ${address.toUpperCase()}, card ${card}.`
const path = '/messages/0/content'

const args = (written: object) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: JSON.stringify(written) } }],
})

export const rows: readonly CheckCase[] = casesOf('pii', [
  { name: 'passes a text without personal data', text: 'See page 42 of 2019.', verdict: true },
  {
    name: 'fails on personal data, and reports category and position',
    text,
    verdict: false,
    data: {
      counts: { email: 2, credit_card: 1 },
      places: [
        { category: 'email', path, start: 9, end: 24 },
        { category: 'email', path, start: 28, end: 43 },
        { category: 'credit_card', path, start: 50, end: 69 },
      ],
      redacted: false,
    },
  },
  {
    name: 'categories: fails on listed categories',
    parameters: { categories: ['email'] },
    text,
    verdict: false,
  },
  {
    name: 'categories: passes other categories',
    parameters: { categories: ['phone'] },
    text,
    verdict: true,
  },
  {
    name: 'categories: national_id means every document',
    parameters: { categories: ['national_id'] },
    text: 'Tax 86095742719 and 123-45-6789',
    verdict: false,
    data: {
      counts: { de_tax_id: 1, us_ssn: 1 },
      places: [
        { category: 'de_tax_id', path, start: 4, end: 15 },
        { category: 'us_ssn', path, start: 20, end: 31 },
      ],
      redacted: false,
    },
  },
  {
    name: 'categories: national_id means no address',
    parameters: { categories: ['national_id'] },
    text,
    verdict: true,
  },
  {
    name: 'categories: refuses one that does not exist',
    parameters: { categories: ['shoe'] },
    error: 'categories/0',
  },
  { name: 'not: fails a text without any', parameters: { not: true }, text: 'nothing', verdict: false },
  { name: 'not: passes a text with some', parameters: { not: true }, text, verdict: true },
  {
    name: 'not: cannot be combined with redact',
    parameters: { not: true, redact: true },
    error: 'not cannot be combined with redact',
  },
  {
    name: 'scope last: passes a match in an earlier message',
    parameters: { scope: 'last' },
    request: { model, messages: [user(text), user('thanks')] },
    verdict: true,
  },
  {
    name: 'scope all: fails a match in an earlier message',
    parameters: { scope: 'all' },
    request: { model, messages: [user(text), user('thanks')] },
    verdict: false,
  },
  {
    name: 'fails on the arguments of a tool call',
    phase: 'after',
    response: { choices: [{ message: args({ to: address }) }] },
    verdict: false,
  },
  {
    name: 'fails on a match in a tool definition',
    request: {
      model,
      messages: [user('hello')],
      tools: [{ type: 'function', function: { name: 'f', description: `Ask ${address}.` } }],
    },
    verdict: false,
  },
  {
    name: 'redact: leaves tool definitions unchanged',
    parameters: { redact: true },
    request: {
      model,
      messages: [user('hello')],
      tools: [{ type: 'function', function: { name: 'f', description: `Ask ${address}.` } }],
    },
    verdict: true,
    transformedText: null,
  },
  {
    name: 'fails on any choice of an answer',
    phase: 'after',
    response: answers('fine', text),
    verdict: false,
  },
  {
    name: 'reports ten places at most, and counts all',
    text: `${address} `.repeat(12),
    verdict: false,
    data: {
      counts: { email: 12 },
      places: Array.from({ length: 10 }, (_, index) => ({
        category: 'email',
        path,
        start: index * 16,
        end: index * 16 + 15,
      })),
      redacted: false,
    },
  },
  {
    name: 'redact: puts placeholders in place, the same for the same value, and passes',
    parameters: { redact: true },
    request: { model, messages: [{ role: 'system', content: `Be kind to ${address}.` }, user(text)] },
    verdict: true,
    transformed: {
      model,
      messages: [
        { role: 'system', content: 'Be kind to [EMAIL_1].' },
        user('Write to [EMAIL_1] or [EMAIL_2], card [CREDIT_CARD_1].'),
      ],
    },
    data: {
      counts: { email: 3, credit_card: 1 },
      places: [
        { category: 'email', path, start: 11, end: 26 },
        { category: 'email', path: '/messages/1/content', start: 9, end: 24 },
        { category: 'email', path: '/messages/1/content', start: 28, end: 43 },
        { category: 'credit_card', path: '/messages/1/content', start: 50, end: 69 },
      ],
      redacted: true,
    },
  },
  {
    name: 'redact: changes nothing when there is nothing',
    parameters: { redact: true },
    text: 'nothing',
    verdict: true,
    transformedText: null,
  },
  {
    name: 'redact: redacts only the listed categories',
    parameters: { redact: true, categories: ['credit_card'] },
    text,
    verdict: true,
    transformedText: `Write to ${address} or ${address.toUpperCase()}, card [CREDIT_CARD_1].`,
  },
  {
    name: 'redact: redacts only the last message with that scope',
    parameters: { redact: true, scope: 'last' },
    request: { model, messages: [user(address), user(address)] },
    verdict: true,
    transformed: { model, messages: [user(address), user('[EMAIL_1]')] },
  },
  {
    name: 'redact: takes no placeholder that the caller has written',
    parameters: { redact: true },
    text: `[EMAIL_1] is not ${address}`,
    verdict: true,
    transformedText: '[EMAIL_1] is not [EMAIL_2]',
  },
  {
    name: 'redact: keeps the arguments of a tool call JSON',
    parameters: { redact: true },
    request: { model, messages: [args({ note: `"\n${address}"`, card: 4111111111111111 })] },
    verdict: true,
    transformed: { model, messages: [args({ note: '"\n[EMAIL_1]"', card: '[CREDIT_CARD_1]' })] },
  },
  {
    name: 'redact: redacts answers as well',
    parameters: { redact: true },
    phase: 'after',
    response: answers(address, 'fine'),
    verdict: true,
    transformed: answers('[EMAIL_1]', 'fine'),
  },
  {
    name: 'redact: redacts query and documents of a rerank',
    parameters: { redact: true },
    endpoint: 'rerank',
    request: { model, query: address, documents: [address, { text: card, id: 7 }] },
    verdict: true,
    transformed: { model, query: '[EMAIL_1]', documents: ['[EMAIL_1]', { text: '[CREDIT_CARD_1]', id: 7 }] },
  },
  {
    name: 'restore: passes an answer when nothing was redacted before',
    parameters: { restore: true },
    phase: 'after',
    response: answers('[EMAIL_1]'),
    verdict: true,
    transformedText: null,
    data: { restored: 0 },
  },
  {
    name: 'restore: looks for personal data in requests as ever',
    parameters: { restore: true },
    text,
    verdict: false,
  },
])
