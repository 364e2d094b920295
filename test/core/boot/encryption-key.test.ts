/** All gateways of a store have one encryption key: another one is refused, and a rotation replaces it. */
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Documents, GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import pino from 'pino'
import { type SealingOptions, sealOldSecrets } from '#core/boot/seal-old-secrets'
import { main } from '#core/cli/main'
import { claimMasterKey } from '#core/tenancy/secrets/key-fingerprint'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { createMemoryStore } from '#store/memory/index'
import { draft } from '../../conformance/stores/draft.ts'
import { adminKey, startGateway } from '../../support/gateway.ts'
import { terminal } from '../cli/support.ts'

describe('the encryption key of a store', () => {
  let directory: string
  const [first, second] = [randomBytes(32).toString('base64'), randomBytes(32).toString('base64')]
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-key-'))
    await writeFile(join(directory, 'gateway.yaml'), '{}\n')
  })
  afterEach(() => rm(directory, { recursive: true, force: true }))

  /** @param key null: one of its own, in its own folder */
  const environment = (key: string | null, previous: string | null = null) => ({
    GATEWAY_ADMIN_KEY: adminKey,
    GATEWAY_DATA_DIR: join(directory, key === null ? 'own' : 'shared'),
    GATEWAY_STORE_URL: `sqlite:${join(directory, 'gateway.db')}`,
    ...(key === null ? {} : { GATEWAY_ENCRYPTION_KEY: key }),
    ...(previous === null ? {} : { GATEWAY_PREVIOUS_ENCRYPTION_KEY: previous }),
  })
  async function faultOf(key: string | null, previous: string | null = null): Promise<string | null> {
    try {
      const gateway = await startGateway({}, { environment: environment(key, previous) })
      await gateway.stop()
      return null
    } catch (error) {
      return String(error)
    }
  }
  async function run(words: string[], key: string | null, previous: string | null = null) {
    const recording = terminal({ environment: environment(key, previous), directory })
    const code = await main([...words, '--config', 'gateway.yaml'], recording)
    return { code, ...recording }
  }

  it('is the one of its first start: a gateway with another key, or with its own, does not start', async () => {
    expect(await faultOf(first)).to.equal(null)
    for (const other of [second, null]) {
      const fault = await faultOf(other)
      expect(fault).to.include('encrypted with another key').and.include('rotate-encryption-key')
      expect(fault).not.to.include(first)
    }
    expect(await faultOf(first)).to.equal(null)
  })

  it('is needed by commands that open the store', async () => {
    expect(await faultOf(first)).to.equal(null)
    for (const words of [['keys', 'list', '--store'], ['export', 'file.jsonl'], ['rotate-encryption-key']]) {
      const { code, errors } = await run(words, second, words.length === 1 ? second : null)
      expect([code, errors.includes('encrypted with another key')], words.join(' ')).to.deep.equal([1, true])
    }
    expect((await run(['keys', 'list', '--store'], first)).code).to.equal(0)
  })

  it('is another one after a rotation', async () => {
    expect(await faultOf(first)).to.equal(null)
    const rotated = await run(['rotate-encryption-key'], second, first)
    expect([rotated.code, rotated.errors]).to.deep.equal([0, ''])
    expect(await faultOf(second)).to.equal(null)
    expect(await faultOf(first)).to.include('encrypted with another key')
  })

  it('may be the next one while the previous one is given, as during a rotation', async () => {
    expect(await faultOf(first)).to.equal(null)
    expect(await faultOf(second, first)).to.equal(null)
    expect(await faultOf(first)).to.equal(null)
  })

  it('is recognised by the secrets of a store that has no fingerprint yet', async () => {
    const [mine, other] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))]
    const { documents } = createMemoryStore({ maxEntries: 1, maxBytes: 1 })
    await documents.commit([
      { op: 'put', document: draft('config', { data: { key: mine.seal('x', 'config/a') } }) },
    ])
    const fault = await claimMasterKey(documents, other, 0).then(() => null, String)
    expect(fault).to.include('encrypted with another key')
    await claimMasterKey(documents, mine, 0)
    expect(await claimMasterKey(documents, other, 0).then(() => null, String)).to.equal(fault)
  })

  it('makes a gateway unready when its store answers only after the start', async () => {
    const [mine, other] = [createSealer(randomBytes(32)), createSealer(randomBytes(32))]
    const { documents } = createMemoryStore({ maxEntries: 1, maxBytes: 1 })
    await claimMasterKey(documents, mine, 0)
    let isAway = true
    const late: Documents = {
      ...documents,
      async get(kind, id) {
        if (!isAway) return documents.get(kind, id)
        isAway = false
        throw new GatewayError('store_unavailable', 'The store is away.')
      },
    }
    const wait: SealingOptions['wait'] = async () => undefined
    const sealing = await sealOldSecrets({
      documents: late,
      sealer: other,
      log: pino({ level: 'silent' }),
      wait,
    })
    await sealing.done
    expect(sealing.fault).to.include('encrypted with another key')
  })
})
