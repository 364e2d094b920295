/** The list of errors is bounded, and so is the work to find them, for any value. */
import { faultsError } from '@gateway/contract'
import { Type } from '@sinclair/typebox'
import { expect } from 'chai'
import { createValidator, toFaults } from '#validation/validate'

const closed = { additionalProperties: false }
const schema = Type.Object(
  {
    name: Type.Optional(Type.String({ maxLength: 5 })),
    list: Type.Optional(Type.Array(Type.Union([Type.String(), Type.Object({ id: Type.String() }, closed)]))),
  },
  closed,
)
const validate = createValidator(schema)
const unknownKeys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key${index}`, 1]))

describe('a validator', () => {
  it('lists every error of a value written by people', () => {
    expect(validate({ ...unknownKeys(50), name: 'too long' })).to.have.length(51)
  })

  it('lists at most 100 errors', () => {
    const errors = validate(unknownKeys(1000)) ?? []
    expect(toFaults(errors, 'invalid_body')).to.have.length(100)
  })

  const hostile: [name: string, value: unknown][] = [
    ['200,000 unknown keys', unknownKeys(200_000)],
    ['a list of 200,000 wrong members', { list: Array(200_000).fill(1) }],
    ['a list of 100,000 members with a wrong member each', { list: Array(100_000).fill({ id: 1 }) }],
  ]
  for (const [name, value] of hostile) {
    it(`stops at the first error of ${name}`, () => {
      const errors = validate(value) ?? []
      expect(errors).not.to.have.length(0)
      expect(errors).to.have.length.below(10)
    })
  }

  it('accepts a valid value of any size', () => {
    expect(validate({ list: Array(200_000).fill('text') })).to.equal(null)
  })
})

describe('an error that lists many problems', () => {
  it('keeps the first 100 and reports their total', () => {
    const fault = { param: '/a', code: 'invalid_body', message: 'is wrong' } as const
    const error = faultsError(Array.from({ length: 500 }, () => fault))
    expect(error.details).to.have.length(100)
    expect(error.message).to.contain('499 more')
  })

  it('truncates long keys', () => {
    const key = 'k'.repeat(100_000)
    const record = createValidator(Type.Record(Type.String(), Type.String()))
    for (const [errors, where] of [
      [validate({ [key]: 1 }), 'message'],
      [record({ [key]: 1 }), 'param'],
    ] as const) {
      const { message, details } = faultsError(toFaults(errors ?? [], 'invalid_body'))
      expect(details?.[0]?.[where]).to.contain('kkk').and.have.length.below(3000)
      expect(message).to.have.length.below(4000)
    }
  })
})
