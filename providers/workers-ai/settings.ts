/**
 * The account that runs the models: `resource_name`, otherwise the stored `workers_ai_account_id`.
 * Reference: https://developers.cloudflare.com/workers-ai/get-started/rest-api/
 * Errors: `no_provider` for an account that is missing or not an id.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'

/** The schema of a stored credential's `configurations`. */
export const configurations: TSchema = Type.Object(
  { workers_ai_account_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })) },
  { additionalProperties: false },
)

/** The account's models; a call adds the model's name. */
export function baseUrl({ resource_name, configurations: stored }: ProviderSettings): string {
  const account = resource_name ?? stored?.workers_ai_account_id
  if (typeof account === 'string' && /^[\w-]{1,64}$/.test(account)) {
    return `https://api.cloudflare.com/client/v4/accounts/${account}/ai/run`
  }
  throw new GatewayError(
    'no_provider',
    'The provider workers-ai requires the account id as resource_name, or a custom_host.',
  )
}
