/** The checks that can check a streamed answer in windows, and those that need the whole text. */
import type { Check, JsonObject } from '@gateway/contract'
import plugin from '@gateway/plugin-default'
import { prepareCheck } from '@gateway/testing'
import { expect } from 'chai'

const unwanted = (rule: string): [string, JsonObject] => ['regexMatch', { rule, not: true }]

const piecewise: [string, JsonObject][] = [
  unwanted('secret'),
  unwanted('/secret|token/i'),
  unwanted('sk-[A-Za-z0-9]{20,}'),
  unwanted('[a-z.]+@corp'),
  unwanted('ignore\\s{1,20}previous'),
  unwanted('begin(?:a|bc){0,5}end'),
  unwanted('(?:begin)+'),
  unwanted('[^$]\\$\\d{1,6}\\+'),
  unwanted('a[*+]b'),
  ['contains', { words: ['a'], operator: 'none' }],
]

const whole: [string, JsonObject][] = [
  ['regexMatch', { rule: 'secret' }],
  unwanted('^secret'),
  unwanted('secret$'),
  unwanted('\\bsecret\\b'),
  unwanted('begin.*end'),
  unwanted('ignore\\s+previous'),
  unwanted('begin(?:a+b)end'),
  unwanted('begin[\\s\\S]+end'),
  unwanted('begin(?:a|b)+end'),
  unwanted('/begin.{3,}end/s'),
  ['contains', { words: ['a'], operator: 'any' }],
  ['contains', { words: ['a'], operator: 'all' }],
  ['wordCount', { maxWords: 3 }],
  ['jsonSchema', { schema: {} }],
  ['webhook', { webhookURL: 'https://judge.example' }],
  ['regexReplace', { rule: 'a' }],
]

describe('a streamed answer', () => {
  for (const [rows, windowed] of [
    [piecewise, true],
    [whole, false],
  ] as const)
    for (const [id, parameters] of rows)
      it(`is checked ${windowed ? 'in windows' : 'as a whole'} by ${id} ${JSON.stringify(parameters)}`, () => {
        const check = plugin.checks.find((candidate) => candidate.id === id) as Check
        expect(prepareCheck(check, parameters).windowed ?? false).to.equal(windowed)
      })
})
