/** `gateway export` and `gateway import` move the contents of files between all kinds of file stores. */
import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import S3rver from 's3rver'
import { main } from '#core/cli/main'
import { ask, auth, upload } from '../../plugins/batches/fixtures.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { describeEmbedded } from '../../support/servers.ts'
import { terminal } from './support.ts'

const encryptionKey = randomBytes(32).toString('base64')
const bucket = 'gateway-files'
const base = { security: { trusted_hosts: ['127.0.0.0/8'] } }

describeEmbedded('files in gateway export and import', () => {
  let directory: string
  let server: S3rver
  let port: number
  let folders = 0
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-files-'))
    server = new S3rver({
      ...{ port: 0, address: '127.0.0.1', silent: true },
      ...{ directory: join(directory, 's3'), configureBuckets: [{ name: bucket }] },
    })
    port = (await server.run()).port
  })
  after(async () => {
    await server.close()
    await rm(directory, { recursive: true, force: true })
  })

  interface Place {
    path: string
    files: object
    environment: Record<string, string>
  }
  /** A data folder and a config file of a gateway that stores files there. */
  async function makePlace(store: string): Promise<Place> {
    folders += 1
    const path = join(directory, `place-${folders}`)
    const s3 = {
      ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', bucket, prefix: `${folders}/` },
      ...{ access_key_id: 'S3RVER', secret_access_key: 'S3RVER', force_path_style: true },
    }
    const files = { store, ...(store === 's3' ? { s3 } : {}) }
    const environment = {
      ...{ GATEWAY_ADMIN_KEY: adminKey, GATEWAY_ENCRYPTION_KEY: encryptionKey },
      ...{ GATEWAY_DATA_DIR: path, GATEWAY_STORE_URL: `sqlite:${path}/gateway.db` },
    }
    await writeFile(join(directory, `place-${folders}.json`), JSON.stringify({ ...base, files }))
    return { path, files, environment }
  }
  async function within<T>({ files, environment }: Place, work: (gateway: TestGateway) => Promise<T>) {
    const gateway = await startGateway({ files }, { environment })
    try {
      return await work(gateway)
    } finally {
      await gateway.stop()
    }
  }
  async function run({ path, environment }: Place, ...words: string[]) {
    const recording = terminal({ environment, directory })
    const code = await main([...words, '--config', `${path}.json`], recording)
    return { code, output: recording.output, errors: recording.errors }
  }
  const send = (gateway: TestGateway, bytes: Buffer) =>
    upload(gateway, bytes, { purpose: 'assistants' }).then(({ body }) => String(body.id))
  async function read(gateway: TestGateway, id: string) {
    const answer = await fetch(`${gateway.url}/v1/files/${id}/content`, { headers: auth })
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
  }
  const storedFiles = async ({ path }: Place) =>
    (await readdir(join(path, 'files'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))

  for (const [from, to] of [
    ['disk', 'disk'],
    ['disk', 's3'],
    ['s3', 'database'],
    ['database', 'disk'],
  ] as const)
    it(`go from ${from} to ${to}`, async () => {
      const [source, target] = [await makePlace(from), await makePlace(to)]
      const contents = [Buffer.alloc(0), randomBytes(5), randomBytes(9_000_003)]
      const ids = await within(source, async (gateway) => {
        const made: string[] = []
        for (const bytes of contents) made.push(await send(gateway, bytes))
        return made
      })
      const file = `${from}-${to}.jsonl`
      const exported = await run(source, 'export', file)
      expect(exported).to.include({ code: 0, errors: '' })
      // An empty file has a blob in the database, and nothing to move elsewhere.
      const moved = from === 'database' ? '3 files' : '2 files'
      expect(exported.output).to.include(moved).and.include('Not included: cached answers')
      expect(await run(target, 'import', file)).to.include({ code: 0, errors: '' })
      await within(target, async (gateway) => {
        for (const [index, id] of ids.entries()) {
          const { status, bytes } = await read(gateway, id)
          expect([status, bytes.equals(contents[index] ?? Buffer.of(1))], id).to.deep.equal([200, true])
        }
        expect((await ask(gateway, `DELETE /v1/files/${ids[2]}`)).status).to.equal(200)
      })
    })

  it('are named, with exit code 1, when they are missing or incomplete; all others are exported', async () => {
    const [source, target] = [await makePlace('disk'), await makePlace('disk')]
    const kept = randomBytes(10)
    const [missing, short, whole] = await within(source, async (gateway) => [
      await send(gateway, randomBytes(10)),
      await send(gateway, randomBytes(10)),
      await send(gateway, kept),
    ])
    const pathOf = async (id = '') =>
      (await storedFiles(source)).find((path) =>
        path.replaceAll('-', '').endsWith(id.slice('gwfile-'.length)),
      ) ?? expect.fail()
    await rm(await pathOf(missing))
    await truncate(await pathOf(short), 4)
    const { code, output, errors } = await run(source, 'export', 'partial.jsonl')
    expect(code).to.equal(1)
    expect(output).to.include('1 files')
    expect(errors.trim().split('\n').sort()).to.deep.equal(
      [
        `The export does not contain the file ${missing}: its content is missing.`,
        `The export does not contain the file ${short}: it has 4 bytes instead of 10.`,
      ].sort(),
    )
    expect(await run(target, 'import', 'partial.jsonl')).to.include({ code: 0, errors: '' })
    expect(await storedFiles(target)).to.have.length(1)
    await within(target, async (gateway) => {
      expect((await read(gateway, String(whole))).bytes.equals(kept)).to.equal(true)
      expect((await read(gateway, String(short))).status).to.equal(503)
    })
  })

  it('are refused when a content does not match its checksum', async () => {
    const [source, target] = [await makePlace('disk'), await makePlace('disk')]
    const id = await within(source, (gateway) => send(gateway, Buffer.from('the bytes of a file')))
    expect((await run(source, 'export', 'sums.jsonl')).code).to.equal(0)
    const lines = (await readFile(join(directory, 'sums.jsonl'), 'utf8')).trim().split('\n')
    const changed = lines
      .slice(0, -1)
      .map((line) =>
        line.startsWith('{"type":"bytes"')
          ? JSON.stringify({ type: 'bytes', data: Buffer.from('other bytes of it !').toString('base64') })
          : line,
      )
    // The checksum over the whole file is made to match.
    const sha256 = createHash('sha256')
      .update(`${changed.join('\n')}\n`)
      .digest('hex')
    const end: unknown = JSON.parse(lines.at(-1) ?? '')
    const text = [...changed, JSON.stringify({ ...(end as object), sha256 }), ''].join('\n')
    await writeFile(join(directory, 'sums.jsonl'), text)
    const { code, errors } = await run(target, 'import', 'sums.jsonl')
    expect([code, errors]).to.deep.equal([
      1,
      `The file cannot be imported: the content of ${id} does not match its checksum.\n`,
    ])
  })
})
