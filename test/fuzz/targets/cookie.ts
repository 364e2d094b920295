/** The session's token among the cookies of a request. */
import { expect } from 'chai'
import fc from 'fast-check'
import { presentedOf } from '#flow/headers/presented'
import { collectOwnHeaders } from '#flow/headers/request-headers'
import { defineTarget } from '../target.ts'

const name = 'gateway_session'
const piece = fc.oneof(
  fc.constantFrom(name, '=', ';', '; ', ' ', '"', ',', '%3D', '\t', `${name}=`, `x${name}=`),
  fc.string({ unit: 'binary', maxLength: 6 }),
)
const junk = fc.array(piece, { maxLength: 20 }).map((pieces) => pieces.join(''))
const token = fc.stringMatching(/^gws_[A-Za-z0-9_-]{1,20}$/)
const other = fc.stringMatching(/^[a-z]{1,8}=[A-Za-z0-9"=_ -]{0,8}$/)

export const cookie = defineTarget({
  name: 'cookie',
  input: fc.oneof(
    junk.map((header) => ({ header, token: null })),
    fc.tuple(fc.array(other, { maxLength: 4 }), token, junk).map(([others, given, rest]) => ({
      header: [...others, `${name}=${given}`, rest].join('; '),
      token: given,
    })),
  ),
  read: ({ header }) =>
    presentedOf({ cookie: header }, collectOwnHeaders({ cookie: header }, ['x-gateway-'])),
  mayThrow: () => false,
  check(presented, { header, token: given }) {
    if (given !== null) expect(presented?.text).to.equal(given)
    if (presented === null) return
    expect(presented).to.include({ kind: 'session', isCookie: true })
    expect(header).to.include(presented.text)
    expect(presented.text).to.match(/^[^;]+$/)
  },
})
