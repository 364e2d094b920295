/** Cases of `default.redact`: a rule of each kind, each parameter, and refusals. */
import { type CheckCase, casesOf } from '@gateway/testing'
import { answers, model, user } from './bodies.ts'

const address = 'bob@example.com'
const pin = { pattern: '\\d{4,}' }
const system = (content: string) => ({ role: 'system', content })

export const rows: readonly CheckCase[] = casesOf('redact', [
  {
    name: 'rules: replaces equal matches of a pattern with the same placeholder',
    parameters: { rules: [pin] },
    text: 'pins 12345, 6789 and 12345',
    verdict: true,
    transformedText: 'pins [REDACTED_1], [REDACTED_2] and [REDACTED_1]',
    data: {
      counts: { 0: 3 },
      places: [
        { category: '0', path: '/messages/0/content', start: 5, end: 10 },
        { category: '0', path: '/messages/0/content', start: 12, end: 16 },
        { category: '0', path: '/messages/0/content', start: 21, end: 26 },
      ],
      redacted: true,
    },
  },
  {
    name: 'rules: changes nothing when nothing is found',
    parameters: { rules: [pin] },
    text: 'no pin',
    verdict: true,
    transformedText: null,
    data: { counts: {}, places: [], redacted: false },
  },
  {
    name: 'rules: replaces a category of personal data',
    parameters: { rules: [{ category: 'email' }] },
    text: `mail ${address}`,
    verdict: true,
    transformedText: 'mail [EMAIL_1]',
  },
  {
    name: 'rules: replaces a category of secrets',
    parameters: { rules: [{ category: 'connection_string' }] },
    text: 'redis://:hunter22@cache',
    verdict: true,
    transformedText: '[CONNECTION_STRING_1]',
  },
  {
    name: 'rules: replaces words in any letter case',
    parameters: { rules: [{ words: ['Project X', 'bluebird'], replacement: '***' }] },
    text: 'PROJECT X is Bluebird.',
    verdict: true,
    transformedText: '*** is ***.',
  },
  {
    name: 'rules: distinguishes case with caseSensitive',
    parameters: { rules: [{ words: ['bluebird'], caseSensitive: true }] },
    text: 'bluebird and Bluebird',
    verdict: true,
    transformedText: '[REDACTED_1] and Bluebird',
  },
  {
    name: 'rules: matches words literally',
    parameters: { rules: [{ words: ['a.b', '$5 (each)'], replacement: '-' }] },
    text: 'a.b axb $5 (each)',
    verdict: true,
    transformedText: '- axb -',
  },
  {
    name: 'rules: the longer of two words counts',
    parameters: { rules: [{ words: ['blue', 'bluebird'], replacement: '-' }] },
    text: 'bluebird blue',
    verdict: true,
    transformedText: '- -',
  },
  {
    name: 'rules: the first of two rules counts where both find something',
    parameters: {
      rules: [
        { category: 'email', replacement: 'MAIL' },
        { pattern: '[a-z]+@|\\w+\\.com', replacement: 'x' },
      ],
    },
    text: `${address} and example.com`,
    verdict: true,
    transformedText: 'MAIL and x',
  },
  {
    name: 'replacement: numbers values for {n}',
    parameters: { rules: [{ ...pin, replacement: '<PIN {n}>' }] },
    text: '12345 6789 12345',
    verdict: true,
    transformedText: '<PIN 1> <PIN 2> <PIN 1>',
  },
  {
    name: 'applyToRole: changes the user’s texts when it is absent',
    parameters: { rules: [pin] },
    request: { model, messages: [system('12345'), user('12345')] },
    verdict: true,
    transformed: { model, messages: [system('12345'), user('[REDACTED_1]')] },
  },
  {
    name: 'applyToRole: changes the texts of that role',
    parameters: { rules: [pin], applyToRole: 'system' },
    request: { model, messages: [system('12345'), user('12345')] },
    verdict: true,
    transformed: { model, messages: [system('[REDACTED_1]'), user('12345')] },
  },
  {
    name: 'applyToRole: changes all texts',
    parameters: { rules: [pin], applyToRole: 'all' },
    request: { model, messages: [system('12345'), user('12345')] },
    verdict: true,
    transformed: { model, messages: [system('[REDACTED_1]'), user('[REDACTED_1]')] },
  },
  {
    name: 'applyToRole: changes every text of an answer when it is absent',
    parameters: { rules: [pin] },
    phase: 'after',
    response: answers('12345', 'fine'),
    verdict: true,
    transformed: answers('[REDACTED_1]', 'fine'),
  },
  {
    name: 'applyToRole: does not change an answer for another role',
    parameters: { rules: [pin], applyToRole: 'user' },
    phase: 'after',
    response: answers('12345'),
    verdict: true,
    transformedText: null,
  },
  {
    name: 'restore: needs no rules in an answer',
    parameters: { restore: true },
    phase: 'after',
    response: answers('[REDACTED_1]'),
    verdict: true,
    transformedText: null,
    data: { restored: 0 },
  },
  {
    name: 'restore: refuses to do nothing at all',
    parameters: { rules: [] },
    error: 'rules must not be empty',
  },
  {
    name: 'restore: refuses a replacement without a number',
    parameters: { rules: [{ ...pin, replacement: '***' }], restore: true },
    error: 'cannot be restored',
  },
  {
    name: 'restore: refuses a replacement whose number runs into the text',
    parameters: { rules: [{ ...pin, replacement: 'PIN{n}' }], restore: true },
    error: 'cannot be restored',
  },
  {
    name: 'replacement: refuses two numbers',
    parameters: { rules: [{ ...pin, replacement: '{n} {n}' }] },
    error: 'more than once',
  },
  {
    name: 'restore: takes a replacement that does',
    parameters: { rules: [{ ...pin, replacement: '<PIN {n}>' }], restore: true },
    text: '12345',
    verdict: true,
    transformedText: '<PIN 1>',
  },
  {
    name: 'refuses a broken pattern',
    parameters: { rules: [{ pattern: '(' }] },
    error: 'not a valid pattern',
  },
  { name: 'refuses an unknown category', parameters: { rules: [{ category: 'shoe' }] }, error: 'rules/0' },
  {
    name: 'refuses a rule of two kinds',
    parameters: { rules: [{ ...pin, words: ['a'] }] },
    error: 'rules/0',
  },
  { name: 'refuses a rule of no kind', parameters: { rules: [{ replacement: 'a' }] }, error: 'rules/0' },
])
