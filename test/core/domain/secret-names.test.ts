/**
 * The table of secret names: it contains everything that packages declare as a credential, and not what only sounds
 * like one.
 */
import { isObject } from '@gateway/contract'
import { isSecretName, mapSecrets, redact, secretsIn } from '@gateway/domain'
import { expect } from 'chai'
import { discover } from '#core/discovery/discover'

/** Members whose names sound like credentials but contain none. */
const plain: ReadonlySet<string> = new Set([
  ...['headerKey', 'maxTokenAge', 'aws_auth_type', 'azure_auth_mode', 'azureAuthMode', 'vault_auth_type'],
  ...[
    'vertex_auth_type',
    'keys',
    'metadataKeys',
    'allowedKeys',
    'blockedKeys',
    'secrets',
    'secrets_categories',
  ],
  ...['secrets_redact', 'authorityUrl', 'issuer', 'keyword', 'keywords'],
])
const sounds = /key|secret|token|pass|cred|auth|cookie/i

/** Names of the texts that a schema declares. */
function textsIn(schema: unknown, found: string[] = []): string[] {
  if (Array.isArray(schema)) for (const one of schema) textsIn(one, found)
  if (!isObject(schema)) return found
  for (const [name, member] of Object.entries(isObject(schema.properties) ? schema.properties : {})) {
    const isText = isObject(member) && (member.type === 'string' || member.enum !== undefined)
    if (isText && sounds.test(name)) found.push(name)
    textsIn(member, found)
  }
  for (const part of ['items', 'anyOf', 'allOf', 'oneOf', 'then', 'else'])
    textsIn((schema as Record<string, unknown>)[part], found)
  return found
}

describe('the table of secret names', () => {
  it('contains every credential of every package', async () => {
    const { registry } = await discover({ packages: [], disabled: [], directory: process.cwd() })
    const schemas = [
      ...[...registry.checks.values()].flatMap(({ check, plugin }) => [check.parameters, plugin.settings]),
      ...[...registry.providers.values()].map(({ configurations }) => configurations),
      ...[...registry.secretManagers.values()].map(({ authConfig }) => authConfig),
    ]
    const names = [...new Set(schemas.flatMap((schema) => textsIn(schema)))].filter(
      (name) => !plain.has(name),
    )
    expect(names).to.include.members(['apiKey', 'awsSecretAccessKey', 'vault_secret_id', 'AIRS_API_KEY'])
    expect(names.filter((name) => !isSecretName(name))).to.deep.equal([])
    expect([...plain].filter((name) => isSecretName(name))).to.deep.equal([])
    const declared = [...registry.secretManagers.values()].flatMap(({ secretFields }) => secretFields)
    expect(declared.filter((name) => !isSecretName(name))).to.deep.equal([])
  })

  it('contains every credential key of a config', () => {
    for (const name of [
      ...['api_key', 'cloudA_access_key_id', 'cloudA_secret_access_key', 'cloudA_session_token'],
      ...['cloudC_service_account_json', 'aws_secret_access_key', 'azure_entra_client_secret', 'x-api-key'],
      ...['Authorization', 'proxy-authorization', 'set-cookie', 'apikey', 'webhook_secret', 'clientSecret'],
    ])
      expect(isSecretName(name), name).to.equal(true)
  })

  it('leaves other names alone', () => {
    for (const name of [
      ...[
        'max_tokens',
        'total_tokens',
        'token_endpoint_auth_method',
        'masked_key',
        'key_version',
        'api_key_ids',
      ],
      ...['api_key_id', 'public_key', 'metadata_key', 'group_by', 'secret_reference_id', 'secret_mappings'],
      ...['keyboard', 'monkey', 'authors', 'cookies_policy', 'prefix', 'compat_project', 'deployment_id'],
    ])
      expect(isSecretName(name), name).to.equal(false)
  })

  it("distinguishes the name of a secret's member from a secret", () => {
    expect(secretsIn({ secret_key: 'api_key', secret_mappings: [{ secret_key: 'member' }] })).to.deep.equal(
      [],
    )
    expect(secretsIn({ parameters: { secretKey: 'sk-1' } })).to.deep.equal(['sk-1'])
    expect(secretsIn({ conditions: [{ key: 'metadata.team' }], group_by: [{ key: 'model' }] })).to.deep.equal(
      [],
    )
    expect(secretsIn({ key: 'sk-2' })).to.deep.equal(['sk-2'])
  })

  it('treats every header value as a secret, and looks inside a service account', () => {
    const account = { project_id: 'p', private_key: 'pem', token_uri: 'https://oauth2.googleapis.com/token' }
    const found = secretsIn({ headers: { accept: 'a', 'x-any': 'b' }, cloudC_service_account_json: account })
    expect(found).to.deep.equal(['a', 'b', 'pem'])
    expect(secretsIn({ cloudC_service_account_json: 'text' })).to.deep.equal(['text'])
    expect(secretsIn({ api_key: { value: ['deep'] } })).to.deep.equal(['deep'])
  })

  it('changes nothing but secrets', () => {
    const content = JSON.parse('{"a":[{"api_key":"x","__proto__":{"b":"c"}}],"n":1,"z":null}')
    expect(mapSecrets(content, (secret) => secret)).to.equal(content)
    const changed = mapSecrets(content, () => 'y')
    expect(JSON.stringify(changed)).to.equal('{"a":[{"api_key":"y","__proto__":{"b":"c"}}],"n":1,"z":null}')
  })

  it('redacts secrets in JSON, in URLs and in sealed texts of audit records', () => {
    const shown = redact({
      config: JSON.stringify({ targets: [{ api_key: 'sk-1', weight: 1 }] }),
      custom_host: 'https://user:sk-2@host/v1',
      url: 'https://host/v1?a=1&api_key=sk-3&x-goog-signature=s#part',
      masked: { api_key: 'sk-****cdef' },
      anything: 'sealed:2:AAAA:BBBB:CCCC',
      pricing: { request_token: { price: 1 } },
    })
    expect(shown).to.deep.equal({
      config: '{"targets":[{"api_key":"****","weight":1}]}',
      custom_host: 'https://****@host/v1',
      url: 'https://host/v1?a=1&api_key=****&x-goog-signature=****#part',
      masked: { api_key: 'sk-****cdef' },
      anything: '****',
      pricing: { request_token: { price: 1 } },
    })
  })
})
