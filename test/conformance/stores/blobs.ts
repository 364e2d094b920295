/** The suite for blobs of every engine: the bytes exist completely or not at all. */
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Blobs } from '@gateway/contract'
import { expect } from 'chai'
import { codeOf, pair } from './opened.ts'

async function* from(...parts: Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* parts
}

async function read(source: AsyncIterable<Uint8Array> | null): Promise<Buffer | null> {
  if (source === null) return null
  const parts: Uint8Array[] = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}

const hash = (bytes: Uint8Array | null) =>
  createHash('sha256')
    .update(bytes ?? 'none')
    .digest('hex')

/** The whole suite. */
export function describeBlobs(name: string, open: () => Promise<Blobs[]>): void {
  describe(`blobs ${name}`, () => {
    let one: Blobs
    let other: Blobs
    let key: string
    beforeEach(async () => {
      const [first, second] = pair(await open())
      one = first
      other = second
      key = `files/${randomUUID()}`
    })

    it('return null for an unknown key', async () => {
      expect(await one.head(key)).to.equal(null)
      expect(await one.get(key)).to.equal(null)
      expect(await one.remove(key)).to.equal(false)
    })

    for (const [what, sizes] of [
      ['no bytes', []],
      ['a few', [3, 0, 5]],
      ['a million in odd pieces', [1, 262_143, 262_144, 262_145, 524_288, 7]],
    ] as const) {
      it(`return ${what}, in every process`, async () => {
        const parts = sizes.map((size) => randomBytes(size))
        const whole = Buffer.concat(parts)
        const head = await one.put(key, from(...parts))
        expect(head).to.include({ key, sizeBytes: whole.length })
        expect(await other.head(key)).to.deep.equal(head)
        expect(hash(await read(await other.get(key)))).to.equal(hash(whole))
      })
    }

    it('have the time of writing, or a given time', async () => {
      const before = Date.now()
      const { created_at } = await one.put(key, from())
      expect(created_at).to.be.within(before, Date.now())
      await one.put(key, from(), 1234)
      expect((await other.head(key))?.created_at).to.equal(1234)
    })

    it('can be read from any byte on', async () => {
      const whole = randomBytes(600_000)
      await one.put(key, from(whole))
      for (const start of [0, 1, 262_143, 262_144, 262_145, 599_999, 600_000, 700_000]) {
        const found = await read(await other.get(key, start))
        expect(hash(found), `from ${start}`).to.equal(hash(whole.subarray(start)))
      }
    })

    it('are replaced at once', async () => {
      await one.put(key, from(Buffer.from('old')))
      let seen: string | undefined
      async function* source(): AsyncIterable<Uint8Array> {
        yield randomBytes(400_000)
        seen = String(await read(await other.get(key)))
        yield Buffer.from('end')
      }
      await one.put(key, source())
      expect(seen).to.equal('old')
      expect((await other.head(key))?.sizeBytes).to.equal(400_003)
    })

    it('are unchanged when the source of a replacement fails', async () => {
      await one.put(key, from(Buffer.from('old')))
      async function* broken(): AsyncIterable<Uint8Array> {
        yield randomBytes(400_000)
        throw new Error('The upload broke off.')
      }
      expect(await codeOf(one.put(key, broken()))).to.include('broke off')
      expect(String(await read(await other.get(key)))).to.equal('old')
      expect(await codeOf(one.put(`${key}-new`, broken()))).to.include('broke off')
      expect(await other.head(`${key}-new`)).to.equal(null)
    })

    it('are gone after they were removed', async () => {
      await one.put(key, from(Buffer.from('old')))
      expect(await other.remove(key)).to.equal(true)
      expect(await one.get(key)).to.equal(null)
      expect(await one.remove(key)).to.equal(false)
    })

    it('are listed by key prefix, in order, after a given key', async () => {
      for (const end of ['b', 'a%', 'c', 'a_']) await one.put(`${key}/${end}`, from(Buffer.from(end)))
      await one.put(`${key}x`, from())
      const list = async (prefix: string, after: string | null, limit: number) =>
        (await other.list(prefix, after, limit)).map((head) => head.key.slice(key.length))
      expect(await list(`${key}/`, null, 10)).to.deep.equal(['/a%', '/a_', '/b', '/c'])
      expect(await list(`${key}/`, `${key}/a_`, 1)).to.deep.equal(['/b'])
      expect(await list(`${key}/a_`, null, 10)).to.deep.equal(['/a_'])
    })
  })
}
