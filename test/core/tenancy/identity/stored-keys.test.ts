/** Stored keys on the data path: cached, updated on changes, and used while the store is unavailable. */
import { createHash } from 'node:crypto'
import { type DocumentDraft, type Documents, GatewayError } from '@gateway/contract'
import { type ApiKeyData, defaultWorkspaceId, firstOrganisationId, hashKeyOf } from '@gateway/domain'
import { createTestIo } from '@gateway/testing'
import { expect } from 'chai'
import { type Identities, keyClaim, openIdentities } from '#core/tenancy/identity/identities'
import { createKeyRing } from '#core/tenancy/identity/key-ring'
import type { Caller } from '#flow/caller'
import { createMemoryDocuments } from '#store/memory/documents'

const minuteMs = 60_000

/** A store that can be disabled, and that counts its calls. */
function createSwitchedStore() {
  const documents = createMemoryDocuments()
  const state = { isDown: false, asked: 0, forget: (): void => {} }
  const away = () => {
    state.asked += 1
    if (state.isDown) throw new GatewayError('store_unavailable', 'The store does not answer.')
  }
  const store: Documents = {
    ...documents,
    async get(kind, id) {
      away()
      return documents.get(kind, id)
    },
    async findByKey(kind, key) {
      away()
      return documents.findByKey(kind, key)
    },
    async commit(writes) {
      if (state.isDown) away()
      return documents.commit(writes)
    },
    watch(listener) {
      state.forget = () => listener([])
      return documents.watch(listener)
    },
  }
  return { store, documents, state }
}

interface KeyDraftOptions {
  more?: Partial<ApiKeyData>
  status?: string
}

function keyDraft(
  id: string,
  text: string,
  { more = {}, status = 'active' }: KeyDraftOptions = {},
): DocumentDraft {
  const hash = createHash('sha256').update(text).digest('hex')
  const data: ApiKeyData = {
    type: 'workspace-service',
    user_id: null,
    scopes: ['completions.write'],
    defaults: {
      metadata: null,
      config_id: null,
      allow_config_override: true,
      input_guardrails: null,
      output_guardrails: null,
    },
    description: null,
    expires_at: null,
    alert_emails: [],
    secrets: [{ key_version: 1, hash, prefix: 'gw-', first: 'gw-', last: 'last', ends_at: null }],
    rotation_policy: null,
    last_reset_at: null,
    usage_limits: [],
    rate_limits: [],
    ...more,
  }
  return {
    kind: 'api_key',
    id,
    organisation_id: firstOrganisationId,
    workspace_id: defaultWorkspaceId,
    slug: null,
    name: id,
    status,
    created_at: 0,
    last_updated_at: 0,
    keys: status === 'archived' ? [] : data.secrets.map((secret) => hashKeyOf(secret.hash)),
    attributes: { type: [data.type] },
    data: { ...data },
  }
}

describe('stored keys', () => {
  let clockMs = 0
  let world: ReturnType<typeof createSwitchedStore>
  let identities: Identities

  beforeEach(() => {
    clockMs = Date.UTC(2030, 0, 1)
    world = createSwitchedStore()
    identities = openIdentities({
      documents: world.store,
      adminKeys: createKeyRing([]),
      current: { settings: { keys: createKeyRing([]), documents: [] } },
      keySets: createTestIo().keySets,
      report: () => undefined,
      now: () => clockMs,
    })
  })
  afterEach(() => identities.close())

  const put = (draft: DocumentDraft) => world.documents.commit([{ op: 'put', document: draft }])
  const find = async (text: string): Promise<Caller> => identities.find(keyClaim(text, '192.0.2.1'))
  const codeOf = async (text: string): Promise<string> => {
    try {
      await find(text)
      return 'found'
    } catch (error) {
      return error instanceof GatewayError ? error.code : String(error)
    }
  }

  it('are found without the store once they are cached', async () => {
    await put(keyDraft('a', 'gw-a'))
    const first = await find('gw-a')
    expect(first.identity).to.deep.include({
      type: 'workspace-service',
      keyId: 'a',
      keyVersion: 1,
      organisationId: firstOrganisationId,
      boundWorkspaceId: defaultWorkspaceId,
      workspace: 'default',
    })
    const asked = world.state.asked
    expect(await find('gw-a')).to.equal(first)
    expect(world.state.asked).to.equal(asked)
  })

  it('that are unknown are not looked up for every request', async () => {
    expect(await codeOf('gw-nobody')).to.equal('invalid_api_key')
    const { asked } = world.state
    expect(await codeOf('gw-nobody')).to.equal('invalid_api_key')
    expect(world.state.asked).to.equal(asked)
    await put(keyDraft('n', 'gw-nobody'))
    expect(await codeOf('gw-nobody')).to.equal('found')
  })

  it('reflect every change at once', async () => {
    await put(keyDraft('a', 'gw-a'))
    expect(await codeOf('gw-a')).to.equal('found')
    await put(keyDraft('a', 'gw-a', { more: { scopes: ['models.list'] } }))
    expect([...(await find('gw-a')).identity.scopes]).to.deep.equal(['models.list'])
    await put(keyDraft('a', 'gw-a', { status: 'archived' }))
    expect(await codeOf('gw-a')).to.equal('invalid_api_key')
  })

  it('expire to the millisecond', async () => {
    await put(keyDraft('a', 'gw-a', { more: { expires_at: new Date(clockMs + 1000).toISOString() } }))
    expect(await codeOf('gw-a')).to.equal('found')
    clockMs += 999
    expect(await codeOf('gw-a')).to.equal('found')
    clockMs += 1
    expect(await codeOf('gw-a')).to.equal('expired_api_key')
  })

  it('have two secrets during a rotation, and the log says which one was used', async () => {
    const secret = (text: string, version: number, endsAt: string | null) => ({
      key_version: version,
      hash: createHash('sha256').update(text).digest('hex'),
      prefix: 'gw-',
      first: 'gw-',
      last: text.slice(-4),
      ends_at: endsAt,
    })
    const endsAt = new Date(clockMs + minuteMs).toISOString()
    await put(
      keyDraft('a', 'gw-new', {
        more: { secrets: [secret('gw-new', 2, null), secret('gw-old', 1, endsAt)] },
      }),
    )
    expect((await find('gw-new')).identity.keyVersion).to.equal(2)
    expect((await find('gw-old')).identity.keyVersion).to.equal(1)
    clockMs += minuteMs
    expect(await codeOf('gw-old')).to.equal('invalid_api_key')
    expect(await codeOf('gw-new')).to.equal('found')
  })

  it('are refused when their workspace is archived', async () => {
    const workspace = {
      ...keyDraft('w', 'none'),
      kind: 'workspace',
      id: '11111111-1111-4111-8111-111111111111',
      keys: [],
      slug: 'w',
    }
    await put({ ...workspace, workspace_id: null })
    await put({ ...keyDraft('a', 'gw-a'), workspace_id: workspace.id })
    expect((await find('gw-a')).identity.workspace).to.equal('w')
    await put({ ...workspace, workspace_id: null, status: 'archived' })
    expect(await codeOf('gw-a')).to.equal('invalid_api_key')
  })

  describe('while the store is unavailable', () => {
    beforeEach(async () => {
      await put(keyDraft('a', 'gw-a'))
      await find('gw-a')
    })

    it('are accepted for ten minutes when they are cached; an unknown key is 503, never 401', async () => {
      world.state.isDown = true
      clockMs += 9 * minuteMs
      expect(await codeOf('gw-a')).to.equal('found')
      expect(await codeOf('gw-b')).to.equal('store_unavailable')
      clockMs += minuteMs + 1
      expect(await codeOf('gw-a')).to.equal('store_unavailable')
    })

    it('are accepted when changes may have been missed, and read again when it is back', async () => {
      world.state.isDown = true
      world.state.forget()
      expect(await codeOf('gw-a')).to.equal('found')
      world.state.isDown = false
      await put(keyDraft('a', 'gw-a', { status: 'archived' }))
      clockMs += 2000
      expect(await codeOf('gw-a')).to.equal('invalid_api_key')
    })

    it('are not accepted when they are known to have changed', async () => {
      await put(keyDraft('a', 'gw-a', { status: 'archived' }))
      world.state.isDown = true
      expect(await codeOf('gw-a')).to.equal('store_unavailable')
    })

    it('are confirmed repeatedly while it answers, for as long as they are used', async () => {
      for (let minutes = 0; minutes < 30; minutes += 1) {
        clockMs += minuteMs
        expect(await codeOf('gw-a')).to.equal('found')
        await Promise.resolve()
      }
      world.state.isDown = true
      clockMs += 9 * minuteMs
      expect(await codeOf('gw-a')).to.equal('found')
    })

    it('are not looked up for every request after the store has failed', async () => {
      world.state.isDown = true
      await codeOf('gw-b')
      const { asked } = world.state
      await codeOf('gw-c')
      await codeOf('gw-d')
      expect(world.state.asked).to.equal(asked)
      world.state.isDown = false
      clockMs += 1000
      expect(await codeOf('gw-c')).to.equal('invalid_api_key')
    })
  })

  it('store when they were last used, to the minute, without a new version', async () => {
    await put(keyDraft('a', 'gw-a'))
    clockMs += 30_500
    await find('gw-a')
    await find('gw-a')
    await identities.close()
    const use = await world.documents.get('use', 'a')
    expect(use?.data.last_used_at).to.equal('2030-01-01T00:00:00.000Z')
    expect((await world.documents.get('api_key', 'a'))?.version).to.equal(1)
  })
})
