/** Cases of `default.secrets`: a pass and a fail for each parameter, and redacted texts. */
import { type CheckCase, casesOf } from '@gateway/testing'
import { answers, model, user } from './bodies.ts'

/** A key in the form that its issuer documents, but never issued. */
const key = ['AKIA', 'QRSTUVWX', 'YZ234567'].join('')
const url = 'postgres://app:s3cr3tpw@db.example.com/app'
const text = `Use ${key} for ${url} and ${key}`
const path = '/messages/0/content'

export const rows: readonly CheckCase[] = casesOf('secrets', [
  { name: 'passes a text without secrets', text: 'The token economy of 2019', verdict: true },
  {
    name: 'fails on secrets, and reports category and position',
    text,
    verdict: false,
    data: {
      counts: { aws: 2, connection_string: 1 },
      places: [
        { category: 'aws', path, start: 4, end: 24 },
        { category: 'connection_string', path, start: 29, end: 71 },
        { category: 'aws', path, start: 76, end: 96 },
      ],
      redacted: false,
    },
  },
  {
    name: 'categories: fails on listed categories',
    parameters: { categories: ['aws'] },
    text,
    verdict: false,
  },
  {
    name: 'categories: passes other categories',
    parameters: { categories: ['npm'] },
    text,
    verdict: true,
  },
  {
    name: 'categories: refuses one that does not exist',
    parameters: { categories: ['a'] },
    error: 'categories/0',
  },
  { name: 'not: fails a text without any', parameters: { not: true }, text: 'nothing', verdict: false },
  { name: 'not: passes a text with some', parameters: { not: true }, text, verdict: true },
  {
    name: 'not: cannot be combined with restore',
    parameters: { not: true, restore: true },
    error: 'not cannot be combined with',
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
    name: 'redact: puts placeholders in place, and passes',
    parameters: { redact: true },
    text,
    verdict: true,
    transformedText: 'Use [AWS_1] for [CONNECTION_STRING_1] and [AWS_1]',
  },
  {
    name: 'redact: changes nothing when there is nothing',
    parameters: { redact: true },
    text: 'nothing',
    verdict: true,
    transformedText: null,
  },
  {
    name: 'restore: passes an answer when nothing was redacted before',
    parameters: { restore: true },
    phase: 'after',
    response: answers('[AWS_1]'),
    verdict: true,
    transformedText: null,
  },
  {
    name: 'restore: looks for secrets in requests as ever',
    parameters: { restore: true },
    text,
    verdict: false,
  },
])
