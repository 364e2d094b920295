/**
 * The gateway's own AWS identity: environment, web identity, container, machine.
 * Source: https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
 */
import { isGatewayError, type ProviderFetch } from '@gateway/contract'
import { awsAuth, awsCredentials, readAwsEnvironment } from '@gateway/provider-kit'
import { expect } from 'chai'
import { createHostGuard } from '#upstream/host-guard'
import { createOutbound } from '#upstream/outbound'
import { openUpstream, sendJson } from '../support/upstream.ts'
import {
  assumed,
  document,
  formOf,
  hourMs,
  json,
  keyOf,
  open,
  request,
  role,
  type Setting,
  stored,
  text,
  thrownBy,
} from './fixtures/aws-process.ts'

describe("the gateway's own AWS identity", () => {
  it('is requested without the host guard, from addresses in the environment', async () => {
    const upstream = await openUpstream((sent, response) => {
      if (sent.path === '/latest/api/token') return void response.end('imds-token')
      if (sent.path.endsWith('/security-credentials/')) return void response.end('machine')
      if (sent.path.endsWith('/machine'))
        return sendJson(response, 200, document('ASIAMACHINE', Date.now() + hourMs))
      const { bytes } = assumed('AssumeRole', 'ASIAROLE', Date.now() + hourMs)
      response.end(bytes)
    })
    const outbound = createOutbound(createHostGuard({ trustedHosts: [] }))
    try {
      const environment = readAwsEnvironment({
        AWS_EC2_METADATA_SERVICE_ENDPOINT: upstream.origin,
        AWS_ENDPOINT_URL_STS: `${upstream.origin}/sts`,
      })
      const auth = awsAuth({ service: 'bedrock', environment, credentials: awsCredentials(environment) })
      const { signal } = new AbortController()
      const io = {
        signal,
        now: Date.now,
        isTrusted: () => false,
        fetch: (sent: ProviderFetch) => outbound.fetch(sent, signal),
      }
      const settings = {
        provider: 'bedrock',
        ...stored({ aws_auth_type: 'assumedRole', aws_role_arn: role }),
      }
      expect(keyOf((await auth(request, settings, io)).headers)).to.equal('ASIAROLE')
      const sts = upstream.seen.at(-1)
      expect(sts?.path).to.equal('/sts/')
      expect(sts?.headers.accept).to.equal('application/json')
      expect(keyOf({ authorization: sts?.headers.authorization ?? '' })).to.equal('ASIAMACHINE')
    } finally {
      outbound.close()
      await upstream.close()
    }
  })

  const serviceRole = stored({ aws_auth_type: 'serviceRole' })

  it('is the key in the environment', async () => {
    const environment = { AWS_ACCESS_KEY_ID: 'AKIAOWN', AWS_SECRET_ACCESS_KEY: 's', AWS_SESSION_TOKEN: 't' }
    const { sign, io } = open({ environment })
    const { headers } = await sign(serviceRole)
    expect([keyOf(headers), headers['x-amz-security-token']]).to.deep.equal(['AKIAOWN', 't'])
    expect(io.fetched).to.deep.equal([])
  })

  it('is a role assumed by web identity, without a signature', async () => {
    const { sign, io } = open({
      environment: {
        AWS_ROLE_ARN: role,
        AWS_WEB_IDENTITY_TOKEN_FILE: '/token',
        AWS_ROLE_SESSION_NAME: 'pod-1',
      },
      files: { '/token': 'eyJ0b2tlbiI\n' },
      answer: () => assumed('AssumeRoleWithWebIdentity', 'ASIAWEB'),
    })
    expect(keyOf((await sign(serviceRole)).headers)).to.equal('ASIAWEB')
    expect(formOf(io.fetched[0])).to.deep.include({
      Action: 'AssumeRoleWithWebIdentity',
      RoleArn: role,
      RoleSessionName: 'pod-1',
      WebIdentityToken: 'eyJ0b2tlbiI',
    })
    expect(io.fetched[0]?.headers).not.to.have.property('authorization')
  })

  const containers: [string, Record<string, string>, string, string | undefined][] = [
    [
      'a path',
      { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/v2/creds' },
      'http://169.254.170.2/v2/creds',
      undefined,
    ],
    [
      'an address and a token',
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://127.0.0.1:9/c',
        AWS_CONTAINER_AUTHORIZATION_TOKEN: 'tok',
      },
      'http://127.0.0.1:9/c',
      'tok',
    ],
    [
      'an address and a token file',
      {
        AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://169.254.170.23/v1/credentials',
        AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: '/eks',
      },
      'http://169.254.170.23/v1/credentials',
      'eks-token',
    ],
  ]
  for (const [what, environment, url, authorization] of containers) {
    it(`is the identity of the container, by ${what}`, async () => {
      const answer = () => json(document('ASIACONTAINER'))
      const { sign, io } = open({ environment, files: { '/eks': 'eks-token\n' }, answer })
      expect(keyOf((await sign(serviceRole)).headers)).to.equal('ASIACONTAINER')
      expect(io.fetched[0]).to.deep.include({ method: 'GET', url, isAmbient: true })
      expect(io.fetched[0]?.headers?.authorization).to.equal(authorization)
    })
  }

  it('is the identity of the machine, by a token of its metadata service', async () => {
    const base = 'http://127.0.0.1:9'
    const { sign, io } = open({
      environment: { AWS_EC2_METADATA_SERVICE_ENDPOINT: `${base}/` },
      answer: ({ method, url }) => {
        if (method === 'PUT') return text('imds-token')
        return url.endsWith('/security-credentials/') ? text('my role\n') : json(document('ASIAMACHINE'))
      },
    })
    expect(keyOf((await sign(serviceRole)).headers)).to.equal('ASIAMACHINE')
    expect(io.fetched.map(({ method, url }) => `${method} ${url.slice(base.length)}`)).to.deep.equal([
      'PUT /latest/api/token',
      'GET /latest/meta-data/iam/security-credentials/',
      'GET /latest/meta-data/iam/security-credentials/my%20role',
    ])
    expect(io.fetched[2]?.headers).to.deep.equal({ 'x-aws-ec2-metadata-token': 'imds-token' })
    expect(io.fetched.every(({ isAmbient }) => isAmbient === true)).to.equal(true)
  })

  const missing: [string, Setting][] = [
    ['nothing', { environment: { AWS_EC2_METADATA_DISABLED: 'true' } }],
    ['a missing token file', { environment: { AWS_ROLE_ARN: role, AWS_WEB_IDENTITY_TOKEN_FILE: '/no' } }],
    [
      'a container’s address elsewhere',
      { environment: { AWS_CONTAINER_CREDENTIALS_FULL_URI: 'http://10.0.0.1/steal' } },
    ],
    ['a machine that answers 404', { answer: () => text('', 404) }],
    [
      'a container that answers nonsense',
      { environment: { AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '/c' }, answer: () => text('no JSON') },
    ],
  ]
  for (const [what, setting] of missing) {
    it(`is unavailable with ${what}`, async () => {
      const error = await thrownBy(open(setting).sign(serviceRole))
      expect(isGatewayError(error) && error.code).to.equal('dependency_unavailable')
    })
  }
})
