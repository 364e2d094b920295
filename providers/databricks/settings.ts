/**
 * The workspace that serves the models: `resource_name`, otherwise the stored `databricks_workspace`; a workspace on
 * another host (Azure, Google Cloud) is a `custom_host`.
 * Reference: https://docs.databricks.com/aws/en/workspace/workspace-details
 * Errors: `no_provider` for a workspace that is missing or not a valid name.
 */
import { GatewayError, type ProviderSettings } from '@gateway/contract'
import { type TSchema, Type } from '@sinclair/typebox'

/** The schema of a stored credential's `configurations`. */
export const configurations: TSchema = Type.Object(
  { databricks_workspace: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })) },
  { additionalProperties: false },
)

/** The workspace's serving endpoints. */
export function baseUrl({ resource_name, configurations: stored }: ProviderSettings): string {
  const workspace = resource_name ?? stored?.databricks_workspace
  if (typeof workspace === 'string' && /^[a-z\d][a-z\d-]{0,62}$/i.test(workspace)) {
    return `https://${workspace.toLowerCase()}.cloud.databricks.com/serving-endpoints`
  }
  throw new GatewayError(
    'no_provider',
    'The provider databricks requires the workspace as resource_name, or a custom_host.',
  )
}
