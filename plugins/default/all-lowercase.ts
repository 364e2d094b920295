/** `default.alllowercase`: the text contains no uppercase letter. */
import type { Check } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { prepareLetterCase } from './shared/letter-case.ts'
import { type Filled, not, scope } from './shared/parameters.ts'

const parameters = Type.Object({ not, scope }, { additionalProperties: false })

export const allLowercase: Check<Filled<typeof parameters>> = {
  id: 'alllowercase',
  title: 'All lower case',
  description:
    'Passes when every letter with a case is lowercase; a text without such letters passes. In a request every ' +
    'text in scope is checked, in an answer the content of every choice.',
  kind: 'guardrail',
  phases: ['before', 'after'],
  parameters,
  prepare: ({ not, scope }) =>
    prepareLetterCase({
      not,
      scope,
      convert: (text) => text.toLowerCase(),
      wrong: /\p{Changes_When_Lowercased}/u,
    }),
}
