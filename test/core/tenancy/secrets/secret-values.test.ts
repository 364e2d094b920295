/**
 * Values of secret references: fetched once, kept fresh, used while the secret manager is unavailable, but not forever.
 */
import {
  type DocumentChange,
  type Documents,
  GatewayError,
  isGatewayError,
  type JsonObject,
  type SecretManager,
  type StoredDocument,
} from '@gateway/contract'
import type { SecretMapping } from '@gateway/domain'
import { expect } from 'chai'
import type { MappedSecrets } from '#config/stored-credential'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { createSecretValues } from '#core/tenancy/secrets/secret-values'
import { createIo } from '../../../providers/fixtures/context.ts'
import { stopClock, turnUntil } from '../../../support/clock.ts'

const minute = 60_000
const sealer = createSealer(Buffer.alloc(32, 7))
const workspaceId = 'w-1'

const reference = (id: string, data: JsonObject = {}): StoredDocument => ({
  kind: 'secret_reference',
  id,
  organisation_id: 'o-1',
  workspace_id: null,
  slug: id,
  name: id,
  status: 'active',
  version: 1,
  created_at: 0,
  last_updated_at: 0,
  keys: [],
  attributes: {},
  data: {
    manager_type: 'test',
    auth_config: { address: 'https://vault' },
    sealed: sealer.seal('{"token":"hvs.1"}', `secret_reference/${id}`),
    secret_path: `path/${id}`,
    secret_key: null,
    allow_all_workspaces: true,
    allowed_workspaces: [],
    ...data,
  },
})

const mapping = (reference_id: string, more: Partial<SecretMapping> = {}): SecretMapping => ({
  target_field: 'key',
  secret_reference_id: reference_id,
  secret_key: null,
  value_format: 'string',
  ...more,
})

type Answer = () => string | null | Promise<string | null>

/** A scripted secret manager, a store of references, and the values over both. */
function open(answer: Answer) {
  const stored = new Map<string, StoredDocument>()
  const fetched: { authConfig: JsonObject; path: string }[] = []
  const reports: object[] = []
  let told: Answer = answer
  let listener: (changes: readonly DocumentChange[]) => void = () => undefined
  let reads = 0
  const manager: SecretManager = {
    type: 'test',
    title: 'Test',
    authConfig: {} as SecretManager['authConfig'],
    secretFields: ['token'],
    urlField: null,
    fetch: async (authConfig, path) => {
      fetched.push({ authConfig, path })
      return told()
    },
  }
  const documents = {
    get: async (_kind: string, id: string) => {
      reads += 1
      return stored.get(id) ?? null
    },
    watch: (heard: typeof listener) => {
      listener = heard
      return () => undefined
    },
  } satisfies Pick<Documents, 'get' | 'watch'>
  const values = createSecretValues({
    documents: documents as unknown as Documents,
    sealer,
    managers: () => new Map([['test', manager]]),
    io: () => createIo(),
    now: Date.now,
    report: (record) => reports.push(record),
  })
  const put = (document: StoredDocument) => {
    stored.set(document.id, document)
    listener([{ kind: document.kind, id: document.id, organisation_id: null, workspace_id: null }])
  }
  return {
    values,
    fetched,
    reports,
    put,
    reads: () => reads,
    tell(next: Answer) {
      told = next
    },
    get(...mappings: SecretMapping[]): Promise<MappedSecrets> {
      return values.mapped(mappings, workspaceId)
    },
  }
}

const textOf = async (work: Promise<MappedSecrets>) => (await work).get('key')

async function faultOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
  } catch (error) {
    if (isGatewayError(error)) return `${error.status} ${error.code}`
    throw error
  }
  return 'nothing'
}

const away: Answer = () => {
  throw new GatewayError('dependency_unavailable', 'away')
}

describe('the values of secret references', () => {
  const clock = stopClock()

  it('are fetched with the sealed credential, once for concurrent requests', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    const found = await Promise.all([scene.get(mapping('a')), scene.get(mapping('a'))])
    expect(found.map((each) => each.get('key'))).to.deep.equal(['sk-1', 'sk-1'])
    expect(scene.fetched).to.deep.equal([
      { authConfig: { address: 'https://vault', token: 'hvs.1' }, path: 'path/a' },
    ])
  })

  it('are read without the store once they are cached', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-1')
    expect([scene.reads(), scene.fetched.length]).to.deep.equal([1, 1])
  })

  it('are renewed in the background, so that no request waits', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    scene.tell(() => 'sk-2')
    await clock.tick(3 * minute)
    await scene.get(mapping('a'))
    expect(scene.fetched).to.have.length(1)
    await clock.tick(1.5 * minute)
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-1')
    await turnUntil(() => scene.fetched.length === 2, 'a renewal')
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-2')
  })

  it('are never older than five minutes while the secret manager answers', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    scene.tell(() => 'sk-2')
    await clock.tick(5 * minute)
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-2')
  })

  it('are used for an hour while the secret manager is unavailable, then 503', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    scene.tell(away)
    await clock.tick(59 * minute)
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-1')
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-1')
    expect(scene.fetched, 'an unavailable manager is not called for a while').to.have.length(2)
    await clock.tick(minute)
    expect(await faultOf(scene.get(mapping('a')))).to.equal('503 dependency_unavailable')
    scene.tell(() => 'sk-2')
    await clock.tick(minute)
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-2')
  })

  it('wait two seconds for a secret manager that hangs, then use the last value', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    scene.tell(() => new Promise(() => undefined))
    await clock.tick(10 * minute)
    const waiting = textOf(scene.get(mapping('a')))
    await clock.tick(2000)
    expect(await waiting).to.equal('sk-1')
    const next = textOf(scene.get(mapping('a')))
    await clock.tick(0)
    expect(await next, 'who comes later does not wait again').to.equal('sk-1')
  })

  it('are 503 when the secret manager never answered, and it is not called for every request', async () => {
    const scene = open(away)
    scene.put(reference('a'))
    for (let count = 0; count < 5; count += 1) {
      expect(await faultOf(scene.get(mapping('a')))).to.equal('503 dependency_unavailable')
    }
    expect(scene.fetched).to.have.length(1)
    expect(scene.reports).to.deep.equal([
      { secret_reference_id: 'a', manager_type: 'test', reason: 'dependency_unavailable' },
    ])
  })

  it('are 503 when the address of the secret manager is refused, which no caller caused', async () => {
    const scene = open(() => {
      throw new GatewayError('host_not_allowed', 'private')
    })
    scene.put(reference('a'))
    expect(await faultOf(scene.get(mapping('a')))).to.equal('503 dependency_unavailable')
  })

  it('are 502 for a secret that does not exist or was deleted', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    scene.tell(() => null)
    await clock.tick(6 * minute)
    expect(await faultOf(scene.get(mapping('a')))).to.equal('502 upstream_error')
    scene.tell(() => 'sk-2')
    await clock.tick(10_000)
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-2')
  })

  it('are fetched again at once when their reference changes', async () => {
    const scene = open(() => 'sk-1')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    scene.tell(() => 'sk-2')
    scene.put(reference('a', { secret_path: 'path/other' }))
    expect(await textOf(scene.get(mapping('a')))).to.equal('sk-2')
  })

  it('are 502 for a reference that is archived, missing, or not allowed in this workspace', async () => {
    const scene = open(() => 'sk-1')
    scene.put({ ...reference('archived'), status: 'archived' })
    scene.put(reference('other', { allow_all_workspaces: false, allowed_workspaces: ['w-2'] }))
    scene.put(reference('own', { allow_all_workspaces: false, allowed_workspaces: [workspaceId] }))
    for (const id of ['archived', 'absent', 'other']) {
      expect(await faultOf(scene.get(mapping(id))), id).to.equal('502 upstream_error')
    }
    expect(await textOf(scene.get(mapping('own')))).to.equal('sk-1')
  })

  it('leave no unhandled rejection when several mappings fail', async () => {
    const scene = open(away)
    scene.put(reference('a'))
    scene.put(reference('other', { allow_all_workspaces: false, allowed_workspaces: ['w-2'] }))
    const unheard: unknown[] = []
    const hear = (reason: unknown) => unheard.push(reason)
    process.on('unhandledRejection', hear)
    for (let round = 0; round < 2; round += 1) {
      const both = scene.get(mapping('a'), mapping('other', { target_field: 'configurations.b' }))
      expect(await faultOf(both)).to.match(/^50[23]/)
    }
    await new Promise((resolve) => setImmediate(resolve))
    process.off('unhandledRejection', hear)
    expect(unheard).to.deep.equal([])
  })

  it('are known to the log redaction', async () => {
    const scene = open(() => '{"api_key":"sk-1","nested":{"b":"two"}}')
    scene.put(reference('a'))
    await scene.get(mapping('a'))
    expect(scene.values.texts()).to.include.members(['sk-1', 'two'])
  })

  const secret = '{"api_key":"sk-1","n":5,"account":{"private_key":"k"},"gone":null}'
  const members: [string, Partial<SecretMapping>, JsonObject, unknown][] = [
    ['the whole text', {}, {}, secret],
    ['a member by the mapping', { secret_key: 'api_key' }, {}, 'sk-1'],
    ['a member by the reference', {}, { secret_key: 'api_key' }, 'sk-1'],
    ['the mapping’s member before the reference’s', { secret_key: 'n' }, { secret_key: 'api_key' }, '5'],
    ['an object', { value_format: 'json', secret_key: 'account' }, {}, { private_key: 'k' }],
    ['an object that is all of it', { value_format: 'json' }, {}, JSON.parse(secret)],
  ]
  for (const [what, more, data, value] of members) {
    it(`return ${what}`, async () => {
      const scene = open(() => secret)
      scene.put(reference('a', data))
      expect((await scene.get(mapping('a', more))).get('key')).to.deep.equal(value)
    })
  }

  const lacking: [string, Partial<SecretMapping>, string][] = [
    ['a missing member', { secret_key: 'absent' }, secret],
    ['a member that is null', { secret_key: 'gone' }, secret],
    ['a member of an object’s kind', { secret_key: 'constructor' }, secret],
    ['a member of a plain text', { secret_key: 'api_key' }, 'sk-1'],
    ['an object that is a text', { value_format: 'json', secret_key: 'api_key' }, secret],
    ['an object that is broken', { value_format: 'json' }, '{"a":'],
  ]
  for (const [what, more, text] of lacking) {
    it(`are 502 for ${what}`, async () => {
      const scene = open(() => text)
      scene.put(reference('a'))
      expect(await faultOf(scene.get(mapping('a', more)))).to.equal('502 upstream_error')
    })
  }
})
