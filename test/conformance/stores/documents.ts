/** The suite for documents of every engine: versions, keys, and atomic commits. */
import { randomUUID } from 'node:crypto'
import type { DocumentDraft, Documents } from '@gateway/contract'
import { expect } from 'chai'
import { describeDocumentLists } from './document-lists.ts'
import { describeDocumentWatch } from './document-watch.ts'
import { draft } from './draft.ts'
import { codeOf, pair } from './opened.ts'

/** The whole suite. */
export function describeDocuments(name: string, open: () => Promise<Documents[]>): void {
  describe(`documents ${name}`, () => {
    let one: Documents
    let other: Documents
    let kind: string
    beforeEach(async () => {
      const [first, second] = pair(await open())
      one = first
      other = second
      kind = `kind-${randomUUID()}`
    })
    const put = (document: DocumentDraft, expected?: number) =>
      one.commit([{ op: 'put', document, ...(expected === undefined ? {} : { expected }) }])

    it('returns null for an unknown id', async () => {
      expect(await one.get(kind, randomUUID())).to.equal(null)
      expect(await one.findByKey(kind, 'slug:none')).to.equal(null)
    })

    it('returns the whole document, in every process, with a version that grows from 1', async () => {
      const document = draft(kind, {
        slug: 'a-slug',
        name: 'Ä name – 名前 🚪',
        keys: ['slug:ws/a-slug', 'hash:00'],
        attributes: { integration_id: ['x', 'y'], none: [] },
        data: { nested: { list: [1, null, true, 0.1, 'text'], empty: {} }, line: 'a\nb\u0000c' },
      })
      expect(await put(document)).to.deep.equal([{ ...document, version: 1 }])
      expect(await other.get(kind, document.id)).to.deep.equal({ ...document, version: 1 })
      expect((await put({ ...document, name: null, organisation_id: null }))[0]?.version).to.equal(2)
      expect(await other.get(kind, document.id)).to.deep.equal({
        ...document,
        name: null,
        organisation_id: null,
        version: 2,
      })
    })

    it('returns copies that do not share state with the store', async () => {
      const document = draft(kind, { data: { list: [1] } })
      const [written] = await put(document)
      const read = await one.get(kind, document.id)
      for (const gave of [written, read]) if (Array.isArray(gave?.data.list)) gave.data.list.push(2)
      expect(read?.data).to.deep.equal({ list: [1, 2] })
      expect((await one.get(kind, document.id))?.data).to.deep.equal({ list: [1] })
    })

    it('returns documents in the order of their writes, also for one document', async () => {
      const [a, b] = [draft(kind), draft(`${kind}-b`)]
      const written = await one.commit([
        { op: 'put', document: a },
        { op: 'put', document: b },
        { op: 'remove', kind, id: a.id },
        { op: 'put', document: b },
        { op: 'put', document: a },
      ])
      expect(written.map(({ id, version }) => [id, version])).to.deep.equal([
        [a.id, 1],
        [b.id, 1],
        [b.id, 2],
        [a.id, 1],
      ])
    })

    it('finds a document by its current keys', async () => {
      const document = draft(kind, { keys: ['slug:one', 'hash:1'] })
      await put(document)
      expect((await other.findByKey(kind, 'hash:1'))?.id).to.equal(document.id)
      await put({ ...document, keys: ['slug:two', 'hash:1'] })
      expect(await other.findByKey(kind, 'slug:one')).to.equal(null)
      expect((await other.findByKey(kind, 'slug:two'))?.version).to.equal(2)
      expect(await other.findByKey(`${kind}-b`, 'slug:two')).to.equal(null)
    })

    it('refuses a key of another document of the same kind, and rolls back that commit', async () => {
      const [first, second, third] = [draft(kind, { keys: ['slug:one'] }), draft(kind), draft(kind)]
      await one.commit([first, second].map((document) => ({ op: 'put', document })))
      const refused = one.commit([
        { op: 'put', document: { ...second, name: 'changed' } },
        { op: 'remove', kind, id: first.id },
        { op: 'put', document: { ...third, keys: ['slug:two'] } },
        { op: 'put', document: draft(kind, { keys: ['slug:two'] }) },
      ])
      expect(await codeOf(refused)).to.equal('conflict')
      expect((await other.get(kind, second.id))?.version).to.equal(1)
      expect((await other.findByKey(kind, 'slug:one'))?.id).to.equal(first.id)
      expect(await other.get(kind, third.id)).to.equal(null)
      expect(await other.findByKey(kind, 'slug:two')).to.equal(null)
      expect((await other.list(kind, {}, { offset: 0, limit: 10 })).total).to.equal(2)
    })

    it('frees a key when its document gives it up, or is removed', async () => {
      const [first, second] = [draft(kind, { keys: ['slug:one'] }), draft(kind, { keys: ['slug:two'] })]
      await one.commit([first, second].map((document) => ({ op: 'put', document })))
      await one.commit([
        { op: 'put', document: { ...first, keys: [], status: 'archived' } },
        { op: 'remove', kind, id: second.id },
      ])
      const third = draft(kind, { keys: ['slug:one', 'slug:two'] })
      await put(third)
      expect((await other.findByKey(kind, 'slug:two'))?.id).to.equal(third.id)
    })

    it('grants a key to one of many concurrent writers', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          codeOf(
            (index % 2 === 0 ? one : other).commit([
              { op: 'put', document: draft(kind, { keys: ['slug:one'] }) },
            ]),
          ),
        ),
      )
      expect(outcomes.filter((code) => code === undefined)).to.have.length(1)
      expect(outcomes.filter((code) => code === 'conflict')).to.have.length(19)
    })

    const expectations: [name: string, present: boolean, expected: number, code: string | undefined][] = [
      ['none, and none exists', false, 0, undefined],
      ['none, and there is one', true, 0, 'precondition_failed'],
      ['the version that is there', true, 1, undefined],
      ['an older or newer version', true, 2, 'precondition_failed'],
      ['a version of a missing document', false, 1, 'precondition_failed'],
    ]
    for (const [what, isPresent, expected, code] of expectations) {
      it(`${code === undefined ? 'writes' : 'refuses to write'} with the expected version ${what}`, async () => {
        const document = draft(kind)
        if (isPresent) await put(document)
        expect(await codeOf(put({ ...document, name: 'new' }, expected))).to.equal(code)
        const now = await other.get(kind, document.id)
        expect(now?.name ?? null).to.equal(code === undefined ? 'new' : null)
        expect(now?.version).to.equal(
          isPresent ? (code === undefined ? 2 : 1) : code === undefined ? 1 : undefined,
        )
      })
    }

    it('removes an existing document of the expected version', async () => {
      const document = draft(kind)
      await put(document)
      const remove = (expected?: number) =>
        one.commit([{ op: 'remove', kind, id: document.id, ...(expected === undefined ? {} : { expected }) }])
      expect(await codeOf(remove(2))).to.equal('precondition_failed')
      expect(await remove(1)).to.deep.equal([])
      expect(await other.get(kind, document.id)).to.equal(null)
      expect(await codeOf(remove(1))).to.equal('precondition_failed')
      expect(await remove()).to.deep.equal([])
    })

    it('writes a given version, and continues from there', async () => {
      const document = draft(kind)
      expect((await one.commit([{ op: 'put', document, version: 7 }]))[0]?.version).to.equal(7)
      expect((await put(document, 7))[0]?.version).to.equal(8)
    })

    it('allows one of many concurrent writes with the same expected version', async () => {
      const document = draft(kind)
      await put(document)
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          codeOf((index % 2 === 0 ? one : other).commit([{ op: 'put', document, expected: 1 }])),
        ),
      )
      expect(outcomes.filter((code) => code === undefined)).to.have.length(1)
      expect((await other.get(kind, document.id))?.version).to.equal(2)
    })

    it('counts every concurrent write', async () => {
      const document = draft(kind)
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          (index % 2 === 0 ? one : other).commit([
            { op: 'put', document: { ...document, name: String(index) } },
          ]),
        ),
      )
      expect((await one.get(kind, document.id))?.version).to.equal(30)
    })

    it('writes thousands in one commit', async () => {
      const documents = Array.from({ length: 2500 }, (_, index) =>
        draft(kind, { keys: [`slug:${index}`], attributes: { half: [String(index % 2)] } }),
      )
      const written = await one.commit(documents.map((document) => ({ op: 'put', document })))
      expect(written).to.have.length(2500)
      expect(written[2499]?.id).to.equal(documents[2499]?.id)
      expect((await other.findByKey(kind, 'slug:1700'))?.id).to.equal(documents[1700]?.id)
    })

    describeDocumentLists(async () => pair(await open()))
    describeDocumentWatch(async () => pair(await open()))
  })
}
