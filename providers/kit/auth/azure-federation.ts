/**
 * A machine's AWS identity as a signed token for Entra: the Security Token Service of the machine's region issues it
 * for the audience of Entra's token exchange. The AWS account must allow outbound federation, and the Entra
 * application must list the account's issuer and the role as a federated credential.
 * References: https://docs.aws.amazon.com/STS/latest/APIReference/API_GetWebIdentityToken.html,
 * https://learn.microsoft.com/entra/workload-id/workload-identity-federation
 * Errors: {@link UpstreamFault} 401 when the service refuses; `dependency_unavailable` when it or the machine's
 * identity cannot be reached.
 */
import { GatewayError, isObject, type ProviderIo, UpstreamFault } from '@gateway/contract'
import { parseObject } from '../chat/values.ts'
import { awsCredentials } from './aws-credentials.ts'
import { awsDomain, awsRegion, readAwsEnvironment } from './aws-environment.ts'
import { signRequest } from './sigv4.ts'

const audience = 'api://AzureADTokenExchange'

/** Only a stored credential with such a mode can use the machine's own identity. */
const ownIdentity = { provider: 'azure', configurations: { aws_auth_type: 'serviceRole' } }

/** Creates the source of assertions for a process with this environment. */
export function awsAssertion(
  variables: Readonly<Record<string, string | undefined>>,
  readText?: (path: string) => Promise<string>,
): (io: ProviderIo) => Promise<string> {
  const environment = readAwsEnvironment(variables)
  const credentialsOf = awsCredentials(environment, readText)
  return async function assertion(io) {
    const region = awsRegion(ownIdentity, environment)
    const credentials = await credentialsOf(ownIdentity, region, io)
    if (credentials === null) throw unavailable()
    const request = {
      method: 'POST' as const,
      url: new URL(`${environment.stsUrl ?? `https://sts.${region}.${awsDomain(region)}`}/`).href,
      headers: {
        'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
        accept: 'application/json',
      },
      body: new URLSearchParams({
        Action: 'GetWebIdentityToken',
        'Audience.member.1': audience,
        SigningAlgorithm: 'RS256',
        Version: '2011-06-15',
      }).toString(),
    }
    const { headers } = signRequest(request, { credentials, region, service: 'sts', nowMs: io.now() })
    const answer = await io.fetch({ ...request, headers, isAmbient: true })
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429) throw refused()
    const token = readToken(answer.bytes.toString('utf8'))
    if (answer.status !== 200 || token === null) throw unavailable()
    return token
  }
}

/** The token in an answer in JSON or, for services that do not support JSON, in XML. */
function readToken(text: string): string | null {
  const body = parseObject(text)
  if (body === null) return /<WebIdentityToken>([\w.-]+)<\/WebIdentityToken>/.exec(text)?.[1] ?? null
  const response = isObject(body.GetWebIdentityTokenResponse) ? body.GetWebIdentityTokenResponse : body
  const result = isObject(response.GetWebIdentityTokenResult) ? response.GetWebIdentityTokenResult : response
  return typeof result.WebIdentityToken === 'string' ? result.WebIdentityToken : null
}

function refused(): UpstreamFault {
  return new UpstreamFault({
    status: 401,
    message: 'The identity of the machine in the other cloud was refused a token for Azure.',
    type: 'authentication_error',
    param: null,
    code: 'upstream_error',
  })
}

const unavailable = () =>
  new GatewayError(
    'dependency_unavailable',
    'The identity of the machine in the other cloud cannot be reached.',
  )
