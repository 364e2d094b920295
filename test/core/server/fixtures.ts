/** Tables of request bodies: what each rule of the specification refuses and accepts. */
import { expect } from 'chai'
import { openScene } from '../../support/scene.ts'

/** A row's change to a valid body; `undefined` removes a member. */
type Change = Record<string, unknown>

/** The paths of all errors. */
type Refused = [change: Change, ...params: string[]]

export interface BodyTable {
  path: string
  /** A valid body. */
  body: Record<string, unknown>
  refused: Refused[]
  passes: Change[]
}

const titleOf = (change: Change): string => {
  const text = JSON.stringify(change, (_key, value) => (value === undefined ? '(absent)' : value))
  return text.length > 110 ? `${text.slice(0, 100)}… (${text.length})` : text
}

/** Registers the tests of one table, with the echo provider. */
export function describeTable(name: string, table: BodyTable): void {
  describe(name, () => {
    const scene = openScene()
    const ask = (change: Change) =>
      scene.ask({ provider: 'echo' }, { path: table.path, body: { ...table.body, ...change } })

    describe('is refused with 400 and the path:', () => {
      for (const [change, ...params] of table.refused) {
        it(titleOf(change), async () => {
          const { status, error } = await ask(change)
          expect(status).to.equal(400)
          expect(error).to.include({ type: 'invalid_request_error', code: 'invalid_body' })
          const details = error.details as { param: string; code: string; message: string }[]
          expect(details.map(({ param }) => param)).to.have.members(params)
          expect(error.param).to.equal(details[0]?.param)
          for (const detail of details) {
            expect(detail).to.have.all.keys('param', 'code', 'message')
            expect(detail.message).to.be.a('string').and.to.have.length.above(5)
          }
        })
      }
    })

    describe('is accepted:', () => {
      for (const change of [{}, ...table.passes]) {
        it(titleOf(change), async () => {
          const { status, text } = await ask(change)
          expect(status, text).to.equal(200)
        })
      }
    })
  })
}
