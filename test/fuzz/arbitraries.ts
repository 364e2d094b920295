/** Inputs that several targets use. */
import { isGatewayError } from '@gateway/contract'
import fc from 'fast-check'

/** Whether an error is the caller's, by one of these codes. */
export const refusesWith =
  (...codes: readonly string[]) =>
  (error: unknown): boolean =>
    isGatewayError(error) && codes.includes(error.code) && error.status < 500

/** Names of inherited object members, and names that break paths. */
const oddNames = ['__proto__', 'constructor', 'toString', 'length', '', 'a/b', 'a~b', '0']

const oddValues: readonly unknown[] = [
  '',
  '0',
  0,
  -1,
  1.5,
  1e308,
  true,
  false,
  null,
  [],
  {},
  '\u0000',
  '😀',
  '\ud83d',
]

/** JSON values whose members have these names or odd ones. */
export function jsonOf(
  names: readonly string[],
  values: fc.Arbitrary<unknown>,
  maxDepth = 4,
): fc.Arbitrary<unknown> {
  const name = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...names) },
    fc.constantFrom(...oddNames),
    fc.string({ maxLength: 5 }),
  )
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth, withCrossShrink: true },
      { weight: 3, arbitrary: values },
      { weight: 2, arbitrary: fc.constantFrom(...oddValues) },
      fc.string({ unit: 'binary', maxLength: 8 }),
      { weight: 2, arbitrary: fc.array(tie('value'), { maxLength: 4 }) },
      {
        weight: 6,
        arbitrary: fc
          .array(fc.tuple(name, tie('value')), { maxLength: 6 })
          .map((members): unknown => Object.fromEntries(members)),
      },
    ),
  })).value
}

/** The text, or the text with some characters removed, doubled or replaced. */
export function damaged(text: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const cut = fc.record({ at: fc.nat(), length: fc.nat(8), put: fc.string({ unit: 'binary', maxLength: 3 }) })
  return fc.oneof(
    { weight: 3, arbitrary: text },
    fc.tuple(text, cut).map(([whole, { at, length, put }]) => {
      const start = at % (whole.length + 1)
      return whole.slice(0, start) + put + whole.slice(start + length)
    }),
  )
}

/** Bytes in reads of these sizes, repeated. */
export function* inReads(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  for (let at = 0, index = 0; at < bytes.length; index += 1) {
    const size = Math.max(1, sizes[index % sizes.length] ?? bytes.length)
    yield bytes.subarray(at, at + size)
    at += size
  }
}
