/** The gateway's own request headers: their values, and the errors for malformed ones. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene, readReply } from '../../support/scene.ts'

describe('a gateway header', () => {
  const scene = openScene(() => ({ server: { header_prefixes: ['x-gateway-', 'x-acme-'] } }))
  const ask = (headers: Record<string, string>) => scene.ask(scene.leaf('a'), { headers })

  it('is read as UTF-8, and as Latin-1 if it is not valid UTF-8', async () => {
    const encoded = (text: string) => Buffer.from(text, 'utf8').toString('latin1')
    for (const [sent, city] of [
      [encoded('{"city":"Zürich à"}'), 'Zürich à'],
      [encoded('{"city":"東京"}'), '東京'],
      ['{"city":"Z\xfcrich"}', 'Zürich'],
    ] as const) {
      const config = {
        strategy: {
          mode: 'conditional',
          conditions: [{ query: { 'metadata.city': { $eq: city } }, then: 'b' }],
          default: 'a',
        },
        targets: [
          { name: 'a', ...scene.leaf('a') },
          { name: 'b', ...scene.leaf('b') },
        ],
      }
      const headers = { 'x-gateway-metadata': sent, 'x-gateway-config': encoded(JSON.stringify(config)) }
      const { status } = await scene.ask(null, { headers })
      expect([status, scene.calls().at(-1)]).to.deep.equal([200, 'b'])
    }
  })

  describe('is refused when it is malformed:', () => {
    const malformed: [name: string, value: string, mentions?: string][] = [
      ['metadata', 'plan=pro'],
      ['metadata', '[]'],
      ['metadata', '"text"'],
      ['metadata', 'null'],
      ['metadata', '5'],
      ['metadata', '{"plan":'],
      ['metadata', '{"level":5}', '/level'],
      ['metadata', '{"a":"b","nested":{"c":"d"}}', '/nested'],
      ['metadata', '{"flag":true}', '/flag'],
      ['metadata', '{"gone":null}', '/gone'],
      ['request-timeout', '0'],
      ['request-timeout', '-5'],
      ['request-timeout', '1.5'],
      ['request-timeout', '1e3'],
      ['request-timeout', '10s'],
      ['request-timeout', '999999999999'],
      ['strict-compat-compliance', 'yes'],
      ['strict-compat-compliance', '1'],
      ['forward-headers', 'cookie'],
      ['forward-headers', 'x-team, authorization'],
      ['deployments', 'not json'],
      ['deployments', '{}'],
      ['deployments', '[{"alias":"a"}]'],
      ['cloudc-service-account-json', 'not json'],
      ['cloudc-service-account-json', '"text"'],
      ['cloudb-deployment-type', 'other'],
    ]
    for (const [name, value, mentions = ''] of malformed) {
      it(`${name}: ${value}`, async () => {
        const { status, error } = await ask({ [`x-gateway-${name}`]: value })
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 400,
          code: 'invalid_header',
          param: `header/x-gateway-${name}`,
        })
        expect(error.type).to.equal('invalid_request_error')
        expect(error.message).to.contain(mentions)
        expect(scene.calls()).to.deep.equal([])
      })
    }

    const positions: [name: string, value: string, message: string][] = [
      [
        'config',
        '{"provider": "openai", "api_key": "sk-hidden",}',
        'must be the id of a saved config, or a JSON object: it is not valid JSON at character 47: found "}" where a key in double quotes is expected (remove the comma before it)',
      ],
      [
        'config',
        "{'api_key': 'sk-hidden'}",
        'must be the id of a saved config, or a JSON object: it is not valid JSON at character 2: found "\'" where a key in double quotes or "}" is expected (JSON uses straight double quotes)',
      ],
      ['config', '{"api_key": "sk-hidden"', 'the text ends where "," or "}" is expected'],
      [
        'metadata',
        '{"user": "sk-hidden" "plan": "pro"}',
        'is not valid JSON at character 22: found a double quote where "," or "}" is expected',
      ],
      ['metadata', '{"plan": True}', '(write true, false or null in lowercase)'],
      ['metadata', 'sk-hidden', 'is not valid JSON at character 1: found "s" where a value is expected'],
      ['deployments', '[{"alias": "sk-hidden}]', 'the string that begins here has no closing quote'],
      [
        'cloudc-service-account-json',
        '{"private_key": "sk-hidden\tx"}',
        'is not valid JSON at character 27: found a tab inside a string: write it as \\t',
      ],
    ]
    for (const [name, value, message] of positions) {
      it(`with the position of the error, and without the text around it: ${name}: ${value}`, async () => {
        const { status, error } = await scene.ask(null, {
          headers: { 'x-gateway-provider': 'echo', [`x-gateway-${name}`]: value },
        })
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 400,
          code: 'invalid_header',
          param: `header/x-gateway-${name}`,
        })
        expect(error.message).to.contain(`x-gateway-${name}: `).and.to.contain(message)
        expect(JSON.stringify(error)).not.to.contain('sk-hidden')
      })
    }

    it('together with all other malformed headers', async () => {
      const { error } = await ask({ 'x-gateway-metadata': 'x', 'x-gateway-request-timeout': 'x' })
      const params = (error.details as { param: string }[]).map(({ param }) => param)
      expect(params).to.have.members(['header/x-gateway-metadata', 'header/x-gateway-request-timeout'])
    })

    it('with the prefix that the request used', async () => {
      const response = await fetch(`${scene.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-acme-api-key': 'test-admin-key-0123456789',
          'x-acme-provider': 'echo',
          'x-acme-metadata': 'x',
        },
        body: JSON.stringify(chat()),
      })
      expect((await readReply(response)).error.param).to.equal('header/x-acme-metadata')
    })
  })

  describe('is read', () => {
    const right: [name: string, value: string][] = [
      ['metadata', '{}'],
      ['metadata', '{"plan":"pro","":""}'],
      ['request-timeout', '60000'],
      ['request-timeout', '  60000  '],
      ['strict-compat-compliance', 'true'],
      ['strict-compat-compliance', ' False '],
      ['forward-headers', ''],
      ['forward-headers', 'x-team,,x-other,'],
      ['cache-force-refresh', 'anything'],
      ['cloudc-service-account-json', '{"client_email":"a"}'],
      ['cloudb-deployment-type', 'managed'],
      ['deployments', '[{"deployment_id":"d","alias":"a","api_version":"v"}]'],
    ]
    for (const [name, value] of right) {
      it(`${name}: ${JSON.stringify(value)}`, async () => {
        expect((await ask({ [`x-gateway-${name}`]: value })).status).to.equal(200)
      })
    }
  })

  describe('with the gateway key', () => {
    const key = 'test-admin-key-0123456789'
    const rows: [headers: Record<string, string>, code: string | null][] = [
      [{ 'x-gateway-api-key': key }, null],
      [{ 'X-Gateway-API-Key': ` ${key} ` }, null],
      [{ 'x-acme-api-key': key }, null],
      [{ authorization: `Bearer ${key}` }, null],
      [{ authorization: `bearer ${key}` }, null],
      [{ 'x-api-key': key }, null],
      [{ authorization: `Bearer ${key}`, 'x-api-key': 'sk-other' }, null],
      [{ 'x-gateway-api-key': 'wrong', authorization: `Bearer ${key}` }, 'invalid_api_key'],
      [{ authorization: 'Bearer wrong', 'x-api-key': key }, 'invalid_api_key'],
      [{ authorization: 'Basic abc' }, 'missing_api_key'],
      [{ 'x-gateway-api-key': ' ' }, 'missing_api_key'],
      [{}, 'missing_api_key'],
    ]
    for (const [headers, code] of rows) {
      it(`${JSON.stringify(headers)} is ${code ?? 'let in'}`, async () => {
        const response = await fetch(`${scene.gateway.url}/v1/chat/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-gateway-provider': 'echo', ...headers },
          body: JSON.stringify(chat()),
        })
        const { status, error } = await readReply(response)
        expect(status).to.equal(code === null ? 200 : 401)
        expect(error.code ?? null).to.equal(code)
      })
    }
  })

  it('is not sent to the upstream, with any prefix', async () => {
    await ask({
      'x-gateway-metadata': '{"a":"b"}',
      'x-acme-cache-namespace': 'n',
      'x-gateway-anything': 'else',
    })
    const names = Object.keys(scene.seen('a').headers)
    expect(names.filter((name) => /^x-(gateway|acme)-/.test(name))).to.deep.equal([])
  })

  describe('strict-compat-compliance', () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 }
    const rows: [header: string | null, config: boolean | null, passes: boolean][] = [
      [null, null, false],
      [null, true, false],
      [null, false, true],
      ['true', false, false],
      ['false', true, true],
      ['false', null, true],
    ]
    for (const [header, config, passes] of rows) {
      it(`${header} with ${config} in the config ${passes ? 'passes' : 'drops'} thinking`, async () => {
        const extra = config === null ? {} : { strict_compat_compliance: config }
        const headers: Record<string, string> =
          header === null ? {} : { 'x-gateway-strict-compat-compliance': header }
        const reply = await scene.ask(scene.leaf('a', extra), { headers, body: chat('hi', { thinking }) })
        expect(reply.status).to.equal(200)
        expect(scene.seen('a').json?.thinking).to.deep.equal(passes ? thinking : undefined)
      })
    }
  })
})
