/**
 * The credential of a call: a Bedrock API key, or an access key with which it is signed.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/userguide/api-keys-use.html,
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html
 * Left out: assumed roles, and the identity that the gateway's own environment has.
 */
import type { JsonObject } from '@gateway/contract'
import { secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

/** The credential's members, with the same names in the settings and in the parameters. */
export const credentialMembers = {
  awsRegion: Type.Optional(
    Type.String({
      pattern: '^[a-z]{2,10}(?:-[a-z]{2,20}){1,4}-\\d{1,2}$',
      description: 'The region of the guardrail, such as eu-central-1.',
    }),
  ),
  awsAccessKeyId: secret('An access key; its secret belongs to it.'),
  awsSecretAccessKey: secret('The secret of the access key.'),
  awsSessionToken: secret('The token of a temporary access key.'),
  apiKey: secret('A Bedrock API key, instead of an access key.'),
}

interface AccessKey {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

export interface Credential {
  region: string
  /** A bearer token, or an access key for signing. */
  key: string | AccessKey
}

/**
 * The credential of the parameters, otherwise that of the settings.
 * @throws Error that lists the missing members
 */
export function credentialOf(parameters: JsonObject, settings: Readonly<JsonObject>): Credential {
  const region = parameters.awsRegion ?? settings.awsRegion
  if (typeof region !== 'string') throw new Error(missing('awsRegion'))
  const hasOwn = ['apiKey', 'awsAccessKeyId', 'awsSecretAccessKey'].some((name) => name in parameters)
  return { region, key: keyOf(hasOwn ? parameters : settings) }
}

function keyOf({ apiKey, awsAccessKeyId, awsSecretAccessKey, awsSessionToken }: JsonObject) {
  if (typeof apiKey === 'string') return apiKey
  if (typeof awsAccessKeyId !== 'string') throw new Error(missing('awsAccessKeyId'))
  if (typeof awsSecretAccessKey !== 'string') throw new Error(missing('awsSecretAccessKey'))
  const token = typeof awsSessionToken === 'string' ? { sessionToken: awsSessionToken } : {}
  return { accessKeyId: awsAccessKeyId, secretAccessKey: awsSecretAccessKey, ...token }
}

const missing = (name: string) => `${name} is missing: set plugins.settings.bedrock.${name}, or the parameter`
