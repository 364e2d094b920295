/** `allowed_ips` of API keys and of organisations: callers at other addresses are refused on every route. */
import { expect } from 'chai'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { keyHash } from '#config-file/keys'
import { chat } from '../../support/gateway.ts'
import { type Management, openManagement } from '../../support/management.ts'
import { until } from '../../support/until.ts'

const declaredKey = 'gw-of-the-config-file-with-a-list-0123'

/** The caller's address for the gateway: the tests connect through a trusted proxy. */
const from = (address: string) => ({ 'x-forwarded-for': address })
const inside = from('10.1.2.3')
const outside = from('198.51.100.7')

describe('allowed_ips', () => {
  const admin = openManagement({
    server: { trusted_proxies: ['127.0.0.1', '::1'] },
    api_keys: [
      {
        name: 'declared',
        key_hash: keyHash(declaredKey),
        scopes: ['completions.write'],
        allowed_ips: ['10.1.0.0/16', '2001:db8::/32'],
      },
    ],
  })

  /** A JWT that the organisation accepts. */
  const tokenOf = async () => {
    const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
    const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
    const jwt = { enabled: true, jwks: { keys: [jwk] }, default_scopes: ['completions.write'] }
    await admin.put('/v1/organisation', { auth_settings: { jwt } }, inside)
    return new SignJWT({})
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .setExpirationTime('10m')
      .sign(privateKey)
  }

  const create = async (more: Record<string, unknown> = {}) => {
    const { body } = await admin.post('/v1/api-keys/workspace/service', {
      name: 'listed',
      workspace_id: 'default',
      scopes: ['completions.write', 'configs.list'],
      ...more,
    })
    return { id: String(body.id), text: String(body.key), body }
  }
  const refused = [403, 'forbidden', 'permission_error']
  const outcome = ({ status, error }: Awaited<ReturnType<Management['get']>>) =>
    status === 200 ? 200 : [status, error.code, error.type]
  const ask = (text: string, headers: Record<string, string>) =>
    admin
      .as(text)
      .post(
        '/v1/chat/completions',
        { ...chat(), model: 'echo-1' },
        { 'x-gateway-provider': 'echo', ...headers },
      )

  describe('of an API key', () => {
    it('restricts the key to the listed addresses and networks', async () => {
      const { text, body } = await create({ allowed_ips: ['10.1.0.0/16', '192.0.2.1', '2001:db8::/32'] })
      expect(body.allowed_ips).to.deep.equal(['10.1.0.0/16', '192.0.2.1', '2001:db8::/32'])
      const cases: [address: string, isAllowed: boolean][] = [
        ['10.1.255.255', true],
        ['10.2.0.1', false],
        ['192.0.2.1', true],
        ['192.0.2.2', false],
        ['::ffff:10.1.2.3', true],
        ['::ffff:10.2.2.3', false],
        ['2001:db8::1', true],
        ['2001:db9::1', false],
      ]
      for (const [address, isAllowed] of cases) {
        expect(outcome(await ask(text, from(address))), address).to.deep.equal(isAllowed ? 200 : refused)
        expect(outcome(await admin.as(text).get('/v1/configs', from(address))), address).to.deep.equal(
          isAllowed ? 200 : refused,
        )
      }
    })

    it('takes effect at once when it changes, and is cleared by null or an empty list', async () => {
      const { id, text } = await create()
      expect(outcome(await ask(text, outside))).to.equal(200)
      expect((await admin.put(`/v1/api-keys/${id}`, { allowed_ips: ['10.1.0.0/16'] })).status).to.equal(200)
      expect(outcome(await ask(text, outside))).to.deep.equal(refused)
      for (const cleared of [null, []]) {
        await admin.put(`/v1/api-keys/${id}`, { allowed_ips: ['10.1.0.0/16'] })
        const { body } = await admin.put(`/v1/api-keys/${id}`, { allowed_ips: cleared })
        expect(body.allowed_ips).to.equal(null)
        expect(outcome(await ask(text, outside))).to.equal(200)
      }
      expect((await admin.put(`/v1/api-keys/${id}`, { name: 'other' })).body.allowed_ips).to.equal(null)
    })

    it('applies to sessions created with the key', async () => {
      const { text } = await create({ allowed_ips: ['10.1.0.0/16'] })
      const nobody = admin.as(null)
      expect(outcome(await nobody.post('/v1/auth/login', { api_key: text }, outside))).to.deep.equal(refused)
      const session = await nobody.post('/v1/auth/login', { api_key: text }, inside)
      expect(session.status).to.equal(200)
      const token = String(session.body.token)
      expect(outcome(await admin.as(token).get('/v1/auth/self', inside))).to.equal(200)
      expect(outcome(await admin.as(token).get('/v1/auth/self', outside))).to.deep.equal(refused)
    })

    it("reports the caller's address in the error, and not the list", async () => {
      const { text } = await create({ allowed_ips: ['10.1.0.0/16'] })
      const { error } = await ask(text, outside)
      expect(error.message).to.contain('198.51.100.7').and.not.contain('10.1.')
    })
  })

  describe('of a key in the config file', () => {
    it('restricts the key, and is listed', async () => {
      expect(outcome(await ask(declaredKey, inside))).to.equal(200)
      expect(outcome(await ask(declaredKey, outside))).to.deep.equal(refused)
      const { data } = await admin.get('/v1/api-keys?search=declared')
      expect(data[0]?.allowed_ips).to.deep.equal(['10.1.0.0/16', '2001:db8::/32'])
    })
  })

  describe('of the organisation', () => {
    const set = (allowed: unknown, headers = inside) =>
      admin.put('/v1/organisation', { settings: { allowed_ips: allowed } }, headers)
    afterEach(async () => {
      expect((await set(null)).status).to.equal(200)
    })

    it('restricts every credential: the admin key, keys in the file, stored keys, sessions', async () => {
      const { text } = await create()
      const person = await admin.people.session(await admin.people.user('owner@example.com', 'owner'))
      const session = await admin.as(null).post('/v1/auth/login', { api_key: text }, inside)
      const written = await set(['10.1.0.0/16'])
      expect((written.body.settings as Record<string, unknown>).allowed_ips).to.deep.equal(['10.1.0.0/16'])
      const credentials = [text, declaredKey, String(session.body.token), person, await tokenOf()]
      for (const credential of credentials) {
        expect(outcome(await admin.as(credential).get('/v1/auth/self', outside)), credential).to.deep.equal(
          refused,
        )
        expect(outcome(await admin.as(credential).get('/v1/auth/self', inside)), credential).to.equal(200)
      }
      expect(outcome(await admin.get('/v1/configs', outside))).to.deep.equal(refused)
      expect(outcome(await admin.get('/v1/configs', inside))).to.equal(200)
    })

    it('can be set at the root of the body, too', async () => {
      const { body } = await admin.put('/v1/organisation', { allowed_ips: ['10.1.0.0/16'] }, inside)
      expect((body.settings as Record<string, unknown>).allowed_ips).to.deep.equal(['10.1.0.0/16'])
      expect(outcome(await admin.get('/v1/configs', outside))).to.deep.equal(refused)
    })

    it('prevents people from signing in from other addresses', async () => {
      const { text } = await create()
      await set(['10.1.0.0/16'])
      const login = (headers: Record<string, string>) =>
        admin.as(null).post('/v1/auth/login', { api_key: text }, headers)
      expect(outcome(await login(outside))).to.deep.equal(refused)
      expect(outcome(await login(inside))).to.equal(200)
    })

    it('requires the address to be in the list of the key and in that of the organisation', async () => {
      const { text } = await create({ allowed_ips: ['198.51.100.0/24'] })
      await set(['10.1.0.0/16'])
      expect(outcome(await ask(text, outside))).to.deep.equal(refused)
      expect(outcome(await ask(text, inside))).to.deep.equal(refused)
    })

    it('leaves an audit record when it refuses a write', async () => {
      await set(['10.1.0.0/16'])
      await admin.post('/v1/configs', { name: 'never' }, outside)
      const [record] = await until('the refused write is in the audit log', async () => {
        const { data } = await admin.get('/v1/audit-logs?action=create&resource_type=config', inside)
        return data.length > 0 ? data : null
      })
      expect(record).to.include({ response_status_code: 403, client_ip: '198.51.100.7' })
    })
  })

  const bad: [entry: unknown, param: string][] = [
    [['10.0.0.0/8', 'gateway.example'], '/1'],
    [['10.0.0.0/33'], '/0'],
    [['10.0.0'], '/0'],
    [['300.1.1.1'], '/0'],
    [[''], '/0'],
    [['10.1.0.0/16', '2001:db8::/129', 'nonsense'], '/1'],
    [[7], '/0'],
    ['10.0.0.1', ''],
  ]
  for (const [entries, at] of bad) {
    it(`refuses ${JSON.stringify(entries)} with its path`, async () => {
      const created = await admin.post('/v1/api-keys/workspace/service', {
        name: 'bad',
        workspace_id: 'default',
        scopes: ['completions.write'],
        allowed_ips: entries,
      })
      expect([created.status, created.error.code, created.error.param]).to.deep.equal([
        400,
        'invalid_body',
        `/allowed_ips${at}`,
      ])
      const settings = await admin.put('/v1/organisation', { settings: { allowed_ips: entries } })
      expect([settings.status, settings.error.param]).to.deep.equal([400, `/settings/allowed_ips${at}`])
    })
  }
})
