/**
 * The `configurations` of a stored credential for Amazon Bedrock: the signing identity, and the region. Reference:
 * https://docs.aws.amazon.com/IAM/latest/UserGuide/id_credentials_temp.html
 */
import type { ProviderSettings } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'

const kinds = ['accessKey', 'assumedRole', 'serviceRole', 'apiKey'] as const

const text = (maxLength: number) => Type.Optional(Type.String({ minLength: 1, maxLength }))

const kind = (name: (typeof kinds)[number], required: readonly string[]) => ({
  if: { properties: { aws_auth_type: { const: name } } },
  then: { required },
})

export const configurations: TSchema = Type.Object(
  {
    aws_auth_type: Type.Unsafe<(typeof kinds)[number]>({ enum: kinds }),
    aws_region: Type.String({ pattern: '^[a-z0-9-]{1,40}$' }),
    aws_access_key_id: text(256),
    aws_secret_access_key: text(1024),
    aws_session_token: text(16_384),
    aws_role_arn: text(2048),
    aws_external_id: text(1224),
    aws_s3_bucket: text(255),
    storage_host: Type.Optional(Type.String({ pattern: '^https?://[^\\s?#]+$', maxLength: 2048 })),
  },
  {
    additionalProperties: false,
    allOf: [
      kind('accessKey', ['aws_access_key_id', 'aws_secret_access_key']),
      kind('assumedRole', ['aws_role_arn']),
    ],
  },
)

/** One text in a stored credential's `configurations`; null when it is not set. */
export function configuredText({ configurations: given }: ProviderSettings, name: string): string | null {
  const value = given?.[name]
  return typeof value === 'string' && value !== '' ? value : null
}
