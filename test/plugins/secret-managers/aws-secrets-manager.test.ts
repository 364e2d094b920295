/**
 * AWS Secrets Manager, against a server that checks signatures with the vendor's own signer.
 * Source: https://docs.aws.amazon.com/secretsmanager/latest/apireference/API_GetSecretValue.html
 */
import { Sha256 } from '@aws-crypto/sha256-js'
import type { JsonObject } from '@gateway/contract'
import { awsSecretsManager } from '@gateway/secret-managers'
import { SignatureV4 } from '@smithy/signature-v4'
import { expect } from 'chai'
import { type SeenRequest, sendJson } from '../../support/upstream.ts'
import { createReach, faultsIn, openStage, outcomeOf } from './fixtures.ts'

const keys = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret/access+key' }
const accessKey = {
  aws_auth_type: 'accessKey',
  aws_access_key_id: keys.accessKeyId,
  aws_secret_access_key: keys.secretAccessKey,
  aws_region: 'eu-west-1',
}

/** Whether the vendor's signer would have signed the request so. */
async function isSigned(request: SeenRequest, region: string, credentials = keys): Promise<boolean> {
  const given = String(request.headers.authorization)
  const names = /SignedHeaders=([^,]+)/.exec(given)?.[1]?.split(';') ?? []
  const date = String(request.headers['x-amz-date']).replace(
    /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/,
    '$1-$2-$3T$4:$5:$6Z',
  )
  const signer = new SignatureV4({
    credentials,
    region,
    service: 'secretsmanager',
    sha256: Sha256,
    applyChecksum: false,
  })
  const signed = await signer.sign(
    {
      method: request.method,
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: request.path,
      query: {},
      headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name])])),
      body: request.text,
    },
    { signingDate: new Date(date) },
  )
  return signed.headers.authorization === given
}

describe('AWS Secrets Manager', () => {
  const secrets: Record<string, JsonObject> = {
    'prod/openai': { Name: 'prod/openai', SecretString: 'sk-live' },
    'prod/binary': { Name: 'prod/binary', SecretBinary: Buffer.from('bytes-ü').toString('base64') },
    'prod/odd': { Name: 'prod/odd' },
  }
  const refusals: Record<string, [number, string, string]> = {
    'prod/gone': [400, 'ResourceNotFoundException', "Secrets Manager can't find the specified secret."],
    'prod/dying': [
      400,
      'InvalidRequestException',
      'You can’t perform this operation on the secret because it was marked for deletion.',
    ],
    'prod/denied': [400, 'AccessDeniedException', 'User AKIAEXAMPLE is not authorized to perform this'],
    'prod/down': [500, 'InternalServiceError', 'An error occurred on the server side.'],
  }
  const stage = openStage(async (request, response) => {
    const id = String(request.json?.SecretId)
    const refusal = refusals[id]
    if (request.headers['x-amz-target'] !== 'secretsmanager.GetSecretValue')
      return sendJson(response, 404, {})
    if (refusal !== undefined) {
      const [status, type, message] = refusal
      return sendJson(response, status, { __type: type, Message: message })
    }
    sendJson(response, 200, secrets[id] ?? {})
  })
  const fetchSecret = (path: string, settings: JsonObject = accessKey, more: Record<string, string> = {}) =>
    outcomeOf(
      awsSecretsManager({
        environment: { AWS_ENDPOINT_URL_SECRETS_MANAGER: stage.server.origin, ...more },
      }).fetch(settings, path, stage.io),
    )

  it('returns the text of a secret for a request signed with the access key', async () => {
    expect(await fetchSecret('prod/openai')).to.equal('sk-live')
    const [request] = stage.server.seen
    expect(request?.headers['content-type']).to.equal('application/x-amz-json-1.1')
    expect(request?.json).to.deep.equal({ SecretId: 'prod/openai' })
    expect(request !== undefined && (await isSigned(request, 'eu-west-1'))).to.equal(true)
  })

  it('signs differently for another region', async () => {
    await fetchSecret('prod/openai', { ...accessKey, aws_region: 'us-east-2' })
    const [request] = stage.server.seen
    expect(request !== undefined && (await isSigned(request, 'us-east-2'))).to.equal(true)
    expect(request !== undefined && (await isSigned(request, 'eu-west-1'))).to.equal(false)
  })

  it('returns a binary secret as text', async () => {
    expect(await fetchSecret('prod/binary')).to.equal('bytes-ü')
  })

  it("uses the gateway's own identity for a service role", async () => {
    const own = { AWS_ACCESS_KEY_ID: 'AKIAOWN', AWS_SECRET_ACCESS_KEY: 'own', AWS_REGION: 'ap-south-1' }
    expect(await fetchSecret('prod/openai', { aws_auth_type: 'serviceRole' }, own)).to.equal('sk-live')
    const [request] = stage.server.seen
    const credentials = { accessKeyId: 'AKIAOWN', secretAccessKey: 'own' }
    expect(request !== undefined && (await isSigned(request, 'ap-south-1', credentials))).to.equal(true)
  })

  it('assumes the configured role, and requests it once', async () => {
    let asked = 0
    stage.server.handle((request, response) => {
      const form = new URLSearchParams(request.text)
      if (form.get('Action') !== 'AssumeRole') return sendJson(response, 200, { SecretString: 'of the role' })
      asked += 1
      expect([form.get('RoleArn'), form.get('ExternalId')]).to.deep.equal(['arn:aws:iam::1:role/r', 'x-1'])
      const Credentials = {
        AccessKeyId: 'ASIAROLE',
        SecretAccessKey: 'role-secret',
        SessionToken: 'role-token',
        Expiration: stage.io.now() / 1000 + 3600,
      }
      sendJson(response, 200, { AssumeRoleResponse: { AssumeRoleResult: { Credentials } } })
    })
    const manager = awsSecretsManager({
      environment: {
        AWS_ACCESS_KEY_ID: 'AKIAOWN',
        AWS_SECRET_ACCESS_KEY: 'own',
        AWS_ENDPOINT_URL_STS: stage.server.origin,
        AWS_ENDPOINT_URL_SECRETS_MANAGER: stage.server.origin,
      },
    })
    const role = {
      aws_auth_type: 'assumedRole',
      aws_role_arn: 'arn:aws:iam::1:role/r',
      aws_external_id: 'x-1',
      aws_region: 'eu-west-1',
    }
    for (const path of ['a', 'b'])
      expect(await outcomeOf(manager.fetch(role, path, stage.io))).to.equal('of the role')
    expect(asked).to.equal(1)
    expect(stage.server.seen.at(-1)?.headers['x-amz-security-token']).to.equal('role-token')
  })

  for (const path of ['prod/gone', 'prod/dying']) {
    it(`finds nothing at ${path}`, async () => {
      expect(await fetchSecret(path)).to.equal('nothing')
    })
  }

  it("reports a refusal without the service's message", async () => {
    expect(await fetchSecret('prod/denied')).to.equal(
      'dependency_unavailable: AWS Secrets Manager refused to give the secret (400, AccessDeniedException).',
    )
  })

  it('reports a service that fails, returns invalid answers, or is unreachable', async () => {
    expect(await fetchSecret('prod/down')).to.match(/^dependency_unavailable: .*500, InternalServiceError/)
    expect(await fetchSecret('prod/odd')).to.match(/^dependency_unavailable: .*cannot be read/)
    const { origin } = stage.server
    await stage.server.close()
    const manager = awsSecretsManager({ environment: { AWS_ENDPOINT_URL_SECRETS_MANAGER: origin } })
    expect(await outcomeOf(manager.fetch(accessKey, 'prod/openai', stage.io))).to.match(
      /^dependency_unavailable/,
    )
  })

  it('reports a refused role as an error of the dependency, not of the caller', async () => {
    stage.server.handle((_request, response) =>
      sendJson(response, 403, { Error: { Code: 'AccessDenied', Message: 'no' } }),
    )
    const role = {
      aws_auth_type: 'assumedRole',
      aws_role_arn: 'arn:aws:iam::1:role/r',
      aws_region: 'eu-west-1',
    }
    const own = {
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 'b',
      AWS_ENDPOINT_URL_STS: stage.server.origin,
    }
    expect(await fetchSecret('prod/openai', role, own)).to.match(
      /^dependency_unavailable: .*403, AccessDenied/,
    )
  })

  it('calls the endpoint of the region', async () => {
    const io = createReach()
    const urls: string[] = []
    const recorded = {
      ...io,
      fetch: async ({ url }: { url: string }) => {
        urls.push(url)
        return { status: 200, headers: {}, bytes: Buffer.from('{"SecretString":"s"}') }
      },
    }
    const manager = awsSecretsManager({ environment: {} })
    await manager.fetch(accessKey, 'p', recorded)
    await manager.fetch({ ...accessKey, aws_region: 'cn-north-1' }, 'p', recorded)
    io.close()
    expect(urls).to.deep.equal([
      'https://secretsmanager.eu-west-1.amazonaws.com/',
      'https://secretsmanager.cn-north-1.amazonaws.com.cn/',
    ])
  })

  const wrong: [JsonObject, string[]][] = [
    [accessKey, []],
    [{ aws_auth_type: 'serviceRole' }, []],
    [{}, ['/aws_auth_type']],
    [{ aws_auth_type: 'accessKey' }, ['/aws_access_key_id', '/aws_region', '/aws_secret_access_key']],
    [{ aws_auth_type: 'assumedRole', aws_region: 'eu-west-1' }, ['/aws_role_arn']],
    [{ aws_auth_type: 'serviceRole', aws_region: 'evil.example/' }, ['/aws_region']],
    [{ aws_auth_type: 'serviceRole', vault_addr: 'x' }, ['/vault_addr']],
  ]
  for (const [settings, faults] of wrong) {
    it(`reports ${faults.length === 0 ? 'no error' : faults.join(', ')} for ${JSON.stringify(settings).slice(0, 60)}`, () => {
      expect(faultsIn(awsSecretsManager({ environment: {} }), settings)).to.deep.equal(faults)
    })
  }
})
