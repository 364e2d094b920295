/**
 * The AWS credential that signs a call, and the error when a role is refused. Source:
 * https://docs.aws.amazon.com/STS/latest/APIReference/API_AssumeRole.html
 */
import {
  isGatewayError,
  isUpstreamFault,
  type ProviderFetchAnswer,
  type ProviderSettings,
} from '@gateway/contract'
import { expect } from 'chai'
import {
  assumed,
  formOf,
  hourMs,
  json,
  keyOf,
  open,
  request,
  role,
  scopeOf,
  stored,
  text,
  thrownBy,
} from './fixtures/aws-process.ts'
import { nowMs } from './fixtures/context.ts'

describe('the AWS credential of a call', () => {
  it('is the access key of the config, with its session token', async () => {
    const { sign } = open()
    const { headers } = await sign({
      cloudA_access_key_id: 'AKIACONFIG',
      cloudA_secret_access_key: 'secret',
      cloudA_session_token: 'token',
      cloudA_region: 'ap-south-1',
    })
    expect(keyOf(headers)).to.equal('AKIACONFIG')
    expect(scopeOf(headers)).to.equal('20231114/ap-south-1/bedrock/aws4_request')
    expect(headers['x-amz-security-token']).to.equal('token')
  })

  it('is the access key even with an API key', async () => {
    const { sign } = open()
    const keys = { cloudA_access_key_id: 'AKIACONFIG', cloudA_secret_access_key: 'secret', api_key: 'k' }
    expect(keyOf((await sign(keys)).headers)).to.equal('AKIACONFIG')
  })

  it('is the access key of a stored credential', async () => {
    const { sign } = open()
    const { headers } = await sign(
      stored({ aws_auth_type: 'accessKey', aws_access_key_id: 'AKIASTORED', aws_secret_access_key: 's' }),
    )
    expect(keyOf(headers)).to.equal('AKIASTORED')
    expect(headers).not.to.have.property('x-amz-security-token')
  })

  for (const [what, settings] of Object.entries({
    alone: { api_key: 'bedrock-key' },
    'of a stored credential': { api_key: 'bedrock-key', ...stored({ aws_auth_type: 'apiKey' }) },
  })) {
    it(`is an API key ${what}, sent as a bearer token`, async () => {
      const { headers } = await open().sign(settings)
      expect(headers).to.deep.equal({ ...request.headers, authorization: 'Bearer bedrock-key' })
    })
  }

  for (const settings of [{}, { api_key: 'none' }]) {
    it(`is missing with ${JSON.stringify(settings)}, in any environment`, async () => {
      const { sign, io } = open({ environment: { AWS_ACCESS_KEY_ID: 'AKIAOWN', AWS_SECRET_ACCESS_KEY: 's' } })
      expect(await sign(settings)).to.deep.equal(request)
      expect(io.fetched).to.deep.equal([])
    })
  }

  const halves: [string, Omit<ProviderSettings, 'provider'>][] = [
    ['cloudA_secret_access_key', { cloudA_access_key_id: 'a' }],
    ['cloudA_access_key_id', { cloudA_secret_access_key: 's' }],
    ['configurations/aws_access_key_id', stored({ aws_auth_type: 'accessKey' })],
    ['configurations/aws_role_arn', stored({ aws_auth_type: 'assumedRole' })],
    [
      'cloudA_region',
      { cloudA_access_key_id: 'a', cloudA_secret_access_key: 's', cloudA_region: 'evil.example/#' },
    ],
  ]
  for (const [param, settings] of halves) {
    it(`is refused without ${param}`, async () => {
      const error = await thrownBy(open().sign(settings))
      expect(isGatewayError(error) && { code: error.code, param: error.param }).to.deep.equal({
        code: 'invalid_config',
        param,
      })
    })
  }

  describe('of a role', () => {
    const assumedRole = stored({ aws_auth_type: 'assumedRole', aws_role_arn: role, aws_external_id: 'x-1' })

    it("is requested from the region's token service, with the gateway's own key", async () => {
      const { sign, io } = open({
        environment: { AWS_ACCESS_KEY_ID: 'AKIAOWN', AWS_SECRET_ACCESS_KEY: 'own' },
        answer: () => assumed('AssumeRole'),
      })
      const { headers } = await sign(assumedRole)
      expect(keyOf(headers)).to.equal('ASIAROLE')
      expect(headers['x-amz-security-token']).to.equal('role-token')
      const [sent] = io.fetched
      expect(sent?.url).to.equal('https://sts.eu-west-1.amazonaws.com/')
      expect(sent?.isAmbient).to.equal(true)
      expect(formOf(sent)).to.deep.equal({
        Action: 'AssumeRole',
        RoleArn: role,
        RoleSessionName: 'gateway',
        DurationSeconds: '3600',
        ExternalId: 'x-1',
        Version: '2011-06-15',
      })
      expect(keyOf(sent?.headers ?? {})).to.equal('AKIAOWN')
      expect(scopeOf(sent?.headers ?? {})).to.equal('20231114/eu-west-1/sts/aws4_request')
    })

    it('is requested with the stored access key, if there is one', async () => {
      const { sign, io } = open({ answer: () => assumed('AssumeRole') })
      await sign(
        stored({
          aws_auth_type: 'assumedRole',
          aws_role_arn: role,
          aws_access_key_id: 'AKIASTORED',
          aws_secret_access_key: 's',
        }),
      )
      expect(keyOf(io.fetched[0]?.headers ?? {})).to.equal('AKIASTORED')
    })

    it('is requested from the address in the environment', async () => {
      const { sign, io } = open({
        environment: {
          AWS_ACCESS_KEY_ID: 'a',
          AWS_SECRET_ACCESS_KEY: 's',
          AWS_ENDPOINT_URL_STS: 'http://127.0.0.1:9/sts/',
        },
        answer: () => assumed('AssumeRole'),
      })
      await sign(assumedRole)
      expect(io.fetched[0]?.url).to.equal('http://127.0.0.1:9/sts/')
    })

    const xml = `<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials>
      <AccessKeyId>ASIAXML</AccessKeyId><SecretAccessKey>a&amp;b</SecretAccessKey><SessionToken>t/+=</SessionToken>
      <Expiration>${new Date(nowMs + hourMs).toISOString()}</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>`
    it('is parsed from XML, too', async () => {
      const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' }
      const { headers } = await open({ environment, answer: () => text(xml) }).sign(assumedRole)
      expect(keyOf(headers)).to.equal('ASIAXML')
      expect(headers['x-amz-security-token']).to.equal('t/+=')
    })

    const refusals: [string, Partial<ProviderFetchAnswer>][] = [
      [
        'JSON',
        json({ Error: { Code: 'AccessDenied', Message: 'Not yours.', Type: 'Sender' }, RequestId: 'r' }, 403),
      ],
      [
        'XML',
        text(
          '<ErrorResponse><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>Not yours.</Message></Error></ErrorResponse>',
          403,
        ),
      ],
    ]
    for (const [form, answer] of refusals) {
      it(`that is refused returns the provider's error, parsed from ${form}`, async () => {
        const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' }
        const error = await thrownBy(open({ environment, answer: () => answer }).sign(assumedRole))
        expect(isUpstreamFault(error) && error.upstream).to.deep.equal({
          status: 403,
          message: 'Not yours.',
          type: 'AccessDenied',
          param: null,
          code: 'AccessDenied',
        })
      })
    }

    it('that is refused never shows the signed request in the message', async () => {
      const environment = {
        AWS_ACCESS_KEY_ID: 'a',
        AWS_SECRET_ACCESS_KEY: 's',
        AWS_SESSION_TOKEN: 'own-token',
      }
      const message =
        "The signature does not match.\n\nThe Canonical String for this request should have been\n'POST\n/\n\nx-amz-security-token:own-token'"
      const answer = () => json({ Error: { Code: 'SignatureDoesNotMatch', Message: message } }, 403)
      const error = await thrownBy(open({ environment, answer }).sign(assumedRole))
      expect(isUpstreamFault(error) && error.upstream.message).to.equal('The signature does not match.')
    })

    for (const answer of [
      text('<html>'),
      json({}),
      json({ Credentials: { AccessKeyId: 'a' } }),
      text('', 302),
    ]) {
      it(`that is ${answer.bytes?.toString()} (${answer.status}) is invalid`, async () => {
        const environment = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 's' }
        const error = await thrownBy(open({ environment, answer: () => answer }).sign(assumedRole))
        expect(isGatewayError(error) && error.code).to.equal('upstream_invalid_response')
      })
    }
  })
})
