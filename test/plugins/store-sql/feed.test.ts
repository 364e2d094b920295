/** The feed of changes is limited; a reader who missed removed changes is told to discard everything. */
import type { DocumentChange } from '@gateway/contract'
import { expect } from 'chai'
import type { Database } from '#store-sql/database'
import { createFeed } from '#store-sql/document-feed'
import { upgrade } from '#store-sql/upgrade'
import { forEachEngine } from './engines.ts'

const hourMs = 3_600_000
const change = (id: string): DocumentChange => ({
  kind: 'config',
  id,
  organisation_id: 'org',
  workspace_id: null,
})

forEachEngine('the feed of changes', (open) => {
  let one: Database
  let other: Database
  let nowMs: number
  beforeEach(async () => {
    ;[one, other] = await open()
    await upgrade(one)
    nowMs = Date.now()
  })
  const clock = () => nowMs
  const rows = async () =>
    (await one.read.selectFrom('document_changes').select('id').orderBy('revision').execute()).map(
      ({ id }) => id,
    )

  async function writeAndListen() {
    const [writer, reader] = [createFeed(one, clock), createFeed(other, clock)]
    await reader.poll()
    const heard: (readonly DocumentChange[])[] = []
    reader.watch((changes) => heard.push(changes))
    const record = (...ids: string[]) => one.write((queries) => writer.record(queries, ids.map(change)))
    return { writer, reader, heard, record }
  }

  it('drops changes older than an hour', async () => {
    const { writer, record } = await writeAndListen()
    await record('old')
    nowMs += hourMs + 1
    await record('new')
    await writer.prune()
    expect(await rows()).to.deep.equal(['new'])
  })

  it('sends a reader who has read the removed changes only the rest', async () => {
    const { writer, reader, heard, record } = await writeAndListen()
    await record('old')
    await reader.poll()
    nowMs += hourMs + 1
    await record('new')
    await writer.prune()
    await reader.poll()
    expect(heard).to.deep.equal([[change('old')], [change('new')]])
  })

  for (const [what, last] of [
    ['and more came', ['new']],
    ['and nothing is left', []],
  ] as const) {
    it(`tells a reader who missed removed changes to discard everything, when they were removed ${what}`, async () => {
      const { writer, reader, heard, record } = await writeAndListen()
      await record('old')
      nowMs += hourMs + 1
      await record(...last)
      await writer.prune()
      await reader.poll()
      await reader.poll()
      expect(heard).to.deep.equal([[]])
      await record('later')
      await reader.poll()
      expect(heard).to.deep.equal([[], [change('later')]])
    })
  }
})
