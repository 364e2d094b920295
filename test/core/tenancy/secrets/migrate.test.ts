/** Stores of an earlier version: sealed texts that were not bound to a record, and secrets in plain text. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DocumentDraft, JsonObject, StoredDocument } from '@gateway/contract'
import {
  defaultWorkspaceId,
  derivedId,
  firstOrganisationId,
  kinds,
  openContent,
  recordOf,
  slugKey,
} from '@gateway/domain'
import { expect } from 'chai'
import { migrateDocument } from '#core/tenancy/secrets/migrate'
import { createSealer } from '#core/tenancy/secrets/sealer'
import { adminKey, chat, startGateway, type TestGateway } from '../../../support/gateway.ts'
import { sealWithout } from '../../../support/unbound-seal.ts'
import { openUpstream, type Upstream } from '../../../support/upstream.ts'

const masterKey = randomBytes(32)
const sealer = createSealer(masterKey)
const secret = 'clear-secret-0123456789'

const draft = (kind: string, data: JsonObject, more: Partial<DocumentDraft> = {}): DocumentDraft => ({
  kind,
  id: randomUUID(),
  organisation_id: firstOrganisationId,
  workspace_id: defaultWorkspaceId,
  slug: null,
  name: kind,
  status: 'active',
  created_at: 1,
  last_updated_at: 1,
  keys: [],
  attributes: {},
  data,
  ...more,
})
const stored = (document: DocumentDraft): StoredDocument => ({ ...document, version: 1 })
const migrated = (kind: string, data: JsonObject) => migrateDocument(stored(draft(kind, data)), sealer)

describe('the migration of a document of an earlier version', () => {
  it('binds all its sealed texts to the document', () => {
    const document = migrated(kinds.apiKey, {
      unread: { sealed: sealWithout(masterKey, secret), until: 'x' },
      list: [sealWithout(masterKey, 'another')],
    })
    const { unread, list } = document.data as { unread: { sealed: string }; list: string[] }
    expect(sealer.open(unread.sealed, recordOf(document))).to.equal(secret)
    expect(sealer.open(list[0] ?? '', recordOf(document))).to.equal('another')
  })

  it('seals secrets in its content', () => {
    const cases: [kind: string, member: string, content: JsonObject | JsonObject[]][] = [
      [kinds.config, 'config', { targets: [{ api_key: secret, provider: 'openai' }] }],
      [kinds.configVersion, 'content', { config: { api_key: secret } }],
      [kinds.guardrail, 'checks', [{ id: 'a.b', parameters: { apiKey: secret, headers: { a: secret } } }]],
      [kinds.guardrailVersion, 'content', { checks: [{ parameters: { secretKey: secret } }] }],
      [kinds.integration, 'models', [{ slug: 'm', configurations: { custom_headers: { a: secret } } }]],
    ]
    for (const [kind, member, content] of cases) {
      const document = migrated(kind, { [member]: content })
      expect(JSON.stringify(document), kind).not.to.include(secret)
      expect(openContent(document.data[member], sealer, recordOf(document))).to.deep.equal(content)
      expect(migrateDocument(document, sealer), 'the second time nothing changes').to.equal(document)
    }
  })

  it("seals members that are secret by today's names, in addition to those sealed before", () => {
    const reference = migrated(kinds.secretReference, {
      auth_config: { vault_addr: 'https://vault', vault_secret_id: secret },
      masked_auth_config: { vault_token: 'hvs****2345' },
      sealed: sealWithout(masterKey, JSON.stringify({ vault_token: 'hvs-token' })),
    })
    expect(reference.data.auth_config).to.deep.equal({ vault_addr: 'https://vault' })
    expect(reference.data.masked_auth_config).to.deep.equal({
      vault_secret_id: 'cle****6789',
      vault_token: 'hvs****2345',
    })
    const opened = JSON.parse(sealer.open(String(reference.data.sealed), recordOf(reference)))
    expect(opened).to.deep.equal({ vault_secret_id: secret, vault_token: 'hvs-token' })
    const integration = migrated(kinds.integration, {
      configurations: { custom_host: 'https://h', custom_headers: { 'x-any': secret } },
      sealed: sealWithout(masterKey, JSON.stringify({ key: 'sk' })),
      models: [],
    })
    expect(integration.data.configurations).to.deep.equal({ custom_host: 'https://h' })
    expect(JSON.parse(sealer.open(String(integration.data.sealed), recordOf(integration)))).to.deep.equal({
      key: 'sk',
      configurations: { custom_headers: { 'x-any': secret } },
    })
    expect(migrateDocument(integration, sealer)).to.equal(integration)
  })

  it('removes the secrets in an audit record', () => {
    const document = migrated(kinds.audit, {
      action: 'create',
      request_body: { config: JSON.stringify({ api_key: secret }) },
      changes: { '/config': [null, { api_key: secret, provider: 'openai' }] },
      query_params: null,
    })
    expect(JSON.stringify(document)).not.to.include(secret)
    expect(document.data.changes).to.deep.equal({
      '/config': [null, { api_key: '****', provider: 'openai' }],
    })
    expect(migrateDocument(document, sealer)).to.equal(document)
  })

  it('leaves a document without secrets unchanged', () => {
    const document = stored(draft(kinds.config, { config: { provider: 'echo' } }))
    expect(migrateDocument(document, sealer)).to.equal(document)
  })
})

describe('a gateway that opens a store of an earlier version', () => {
  let directory = ''
  let upstream: Upstream
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-migrate-'))
    upstream = await openUpstream()
  })
  after(async () => {
    await upstream.close()
    await rm(directory, { recursive: true, force: true })
  })

  const start = () =>
    startGateway(
      {},
      {
        environment: {
          GATEWAY_ADMIN_KEY: adminKey,
          GATEWAY_DATA_DIR: directory,
          GATEWAY_STORE_URL: `sqlite:${join(directory, 'gateway.db')}`,
          GATEWAY_ENCRYPTION_KEY: masterKey.toString('base64'),
        },
      },
    )

  async function makeOld({ runtime }: TestGateway): Promise<{ config: DocumentDraft }> {
    const config = draft(
      kinds.config,
      {
        config: { provider: 'openai', api_key: secret, custom_host: upstream.url },
        config_version: 1,
        version_id: randomUUID(),
      },
      { slug: 'old', keys: [slugKey(defaultWorkspaceId, 'old')] },
    )
    const integration = draft(kinds.integration, {
      ai_provider_id: 'openai',
      description: null,
      configurations: { custom_host: upstream.url },
      sealed: sealWithout(masterKey, JSON.stringify({ key: 'sk-of-the-integration' })),
      masked_key: 'sk-****tion',
      secret_mappings: [],
      pricing_adjustments: null,
      allow_all_models: true,
      models: [],
      global_workspace_access: null,
      last_reset_at: null,
    })
    const provider = draft(
      kinds.provider,
      {
        integration_id: integration.id,
        provider: 'openai',
        note: null,
        usage_limits: [],
        rate_limits: [],
        expires_at: null,
        last_reset_at: null,
      },
      { slug: 'old', keys: [slugKey(defaultWorkspaceId, 'old')] },
    )
    const marker = derivedId('migration: sealed texts are bound to their records')
    await runtime.store.documents.commit([
      ...[config, integration, provider].map((document) => ({ op: 'put' as const, document })),
      { op: 'remove', kind: kinds.migration, id: marker },
    ])
    return { config }
  }

  it('uses its secrets, and keeps none of them in plain text', async () => {
    const first = await start()
    const { config } = await makeOld(first)
    await first.close()
    const gateway = await start()
    try {
      for (const [headers, key] of [
        [{ 'x-gateway-config': 'old' }, secret],
        [{ 'x-gateway-provider': '@old' }, 'sk-of-the-integration'],
      ] as const) {
        const response = await gateway.post('/v1/chat/completions', chat(), headers)
        expect(response.status, await response.text()).to.equal(200)
        expect(upstream.seen.at(-1)?.headers.authorization).to.equal(`Bearer ${key}`)
      }
      const kept = await gateway.runtime.store.documents.get(kinds.config, config.id)
      expect(JSON.stringify(kept)).not.to.include(secret)
      const text = JSON.stringify(gateway.logs)
      expect(text).to.include('encrypted secrets stored by an earlier version').and.not.include(secret)
    } finally {
      await gateway.stop()
      await first.stop().catch(() => undefined)
    }
  })
})
