/** Error bodies that compatible providers answer with. */
import type { JsonObject } from '@gateway/contract'
import { compatibleError } from '@gateway/provider-kit'
import { expect } from 'chai'

const blank = { status: 429, type: 'upstream_error', param: null, code: 'upstream_error' }

describe('compatible error bodies', () => {
  const cases: [string, JsonObject, JsonObject][] = [
    [
      "the format's own",
      { error: { message: 'No', type: 'invalid_request_error', param: 'model', code: 'model_not_found' } },
      { status: 429, message: 'No', type: 'invalid_request_error', param: 'model', code: 'model_not_found' },
    ],
    ['a number as code', { error: { message: 'No', code: 1302 } }, { ...blank, message: 'No', code: '1302' }],
    ['null members', { error: { message: 'No', type: null, code: null } }, { ...blank, message: 'No' }],
    ['error as text', { error: 'Too fast' }, { ...blank, message: 'Too fast' }],
    [
      'error as text, with a code',
      { error: 'Too fast', code: 'slow' },
      { ...blank, message: 'Too fast', code: 'slow' },
    ],
    ['message alone', { message: 'Too fast', request_id: 'r' }, { ...blank, message: 'Too fast' }],
    ['detail as text', { detail: 'Not here' }, { ...blank, message: 'Not here' }],
    [
      'detail as a list of faults',
      {
        detail: [
          { loc: ['body', 'user'], msg: 'Extra inputs', type: 'extra_forbidden' },
          { msg: 'And more' },
        ],
      },
      { ...blank, message: 'body.user: Extra inputs; And more' },
    ],
    [
      'object: error',
      { object: 'error', message: 'No such model', type: 'NotFoundError', param: null, code: 404 },
      { ...blank, message: 'No such model', type: 'NotFoundError', code: '404' },
    ],
    [
      'a message that is an object',
      { object: 'error', message: { detail: [{ loc: ['body'], msg: 'Bad' }] } },
      { ...blank, message: 'body: Bad' },
    ],
    [
      'a list of errors',
      { errors: [{ message: 'One' }, { message: 'Two' }] },
      { ...blank, message: 'One; Two' },
    ],
  ]
  for (const [what, body, error] of cases) {
    it(`parses ${what}`, () => expect(compatibleError(429, body)).to.deep.equal(error))
  }

  for (const body of [
    {},
    { error: {} },
    { error: null },
    { message: '' },
    { detail: [] },
    { status: 'bad' },
  ]) {
    it(`does not find an error in ${JSON.stringify(body)}`, () => {
      expect(compatibleError(500, body)).to.equal(null)
    })
  }
})
