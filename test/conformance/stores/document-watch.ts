/** Watchers of documents are notified of changes: immediately in the process that made them, soon in every other. */
import { randomUUID } from 'node:crypto'
import type { DocumentChange, Documents } from '@gateway/contract'
import { expect } from 'chai'
import { until } from '../../support/until.ts'
import { draft } from './draft.ts'

export function describeDocumentWatch(open: () => Promise<[Documents, Documents]>): void {
  describe('a watch', () => {
    let one: Documents
    let other: Documents
    let kind: string
    let stops: (() => void)[]
    beforeEach(async () => {
      ;[one, other] = await open()
      kind = `kind-${randomUUID()}`
      stops = []
    })
    afterEach(() => {
      for (const stop of stops) stop()
    })

    /** Records changes of this test's kind only, because other tests write at the same time. */
    function listen(documents: Documents): DocumentChange[] {
      const heard: DocumentChange[] = []
      stops.push(
        documents.watch((changes) => heard.push(...changes.filter((change) => change.kind === kind))),
      )
      return heard
    }

    it('is notified once of writes and removals, before the commit resolves', async () => {
      const heard = listen(one)
      const [put, removed] = [draft(kind), draft(kind, { organisation_id: null, workspace_id: null })]
      await one.commit([put, removed].map((document) => ({ op: 'put', document })))
      expect(heard.map(({ id }) => id)).to.deep.equal([put.id, removed.id])
      await one.commit([{ op: 'remove', kind, id: removed.id }])
      await one.refresh()
      expect(heard.slice(2)).to.deep.equal([
        { kind, id: removed.id, organisation_id: null, workspace_id: null },
      ])
    })

    it('is not notified of quiet writes, refused writes, and removals without effect', async () => {
      const [heard, elsewhere] = [listen(one), listen(other)]
      const document = draft(kind)
      await one.commit([{ op: 'put', document, isQuiet: true }])
      await one.commit([{ op: 'put', document, expected: 7 }]).catch(() => undefined)
      await one.commit([{ op: 'remove', kind, id: randomUUID() }])
      await other.refresh()
      expect([...heard, ...elsewhere]).to.deep.equal([])
    })

    it("is notified once of another process's writes when it polls", async () => {
      const heard = listen(other)
      const document = draft(kind)
      await one.commit([{ op: 'put', document }])
      await other.refresh()
      await other.refresh()
      expect(heard).to.deep.equal([{ kind, id: document.id, organisation_id: 'org', workspace_id: 'ws' }])
    })

    it("is notified of another process's writes without polling", async () => {
      const heard = listen(other)
      await one.commit([{ op: 'put', document: draft(kind) }])
      await until('the other process heard of the change', () => heard.length === 1)
    })

    it('is notified once of each of many writes', async () => {
      const heard = listen(other)
      const documents = Array.from({ length: 40 }, () => draft(kind))
      await Promise.all(
        documents.map((document, index) => (index % 2 === 0 ? one : other).commit([{ op: 'put', document }])),
      )
      await other.refresh()
      expect(heard.map(({ id }) => id).sort()).to.deep.equal(documents.map(({ id }) => id).sort())
    })

    it('is notified to discard everything after too many changes', async () => {
      if (one === other) return
      let isTold = false
      stops.push(other.watch((changes) => (isTold ||= changes.length === 0)))
      const documents = Array.from({ length: 1001 }, () => draft(kind))
      await one.commit(documents.map((document) => ({ op: 'put', document })))
      await until('the other process was told', () => isTold)
    })

    it('can be ended', async () => {
      const heard = listen(one)
      for (const stop of stops) stop()
      await one.commit([{ op: 'put', document: draft(kind) }])
      expect(heard).to.deep.equal([])
    })
  })
}
