/**
 * The addresses of the API's services, and the form of a model in their paths. `custom_host` replaces all of them.
 * Reference: https://docs.aws.amazon.com/general/latest/gr/bedrock.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
import type { JsonObject, ProcedureContext } from '@gateway/contract'
import { awsDomain, pathSegment } from '@gateway/provider-kit'

/** `bedrock-runtime` for inference, `bedrock-agent-runtime` for reranking, `bedrock` for the model list. */
export type Service = 'bedrock-runtime' | 'bedrock-agent-runtime' | 'bedrock'

/** The address of a service in a region. */
export function serviceUrl(service: Service, region: string): string {
  return `https://${service}.${region}.${awsDomain(region)}`
}

/** The address of a service for a procedure's call; the base URL of the call is that of inference. */
export function serviceUrlFor(service: Service, region: string, context: ProcedureContext): string {
  const { custom_host: custom } = context.settings
  return custom === undefined || context.baseUrl === null ? serviceUrl(service, region) : context.baseUrl
}

/** The model of a request, or an empty text. */
export const modelOf = ({ model }: JsonObject): string => (typeof model === 'string' ? model : '')

/** The path of an operation on a model; a model id, a profile id or an ARN becomes one segment. */
export function modelPath(model: string, operation: string): string {
  return `/model/${pathSegment(model, '/model', 'bedrock')}/${operation}`
}

/** The id of the model of a cross-region profile, such as `us.anthropic.…`. */
export function baseModel(model: string): string {
  return model.replace(/^(?:us-gov|us|eu|apac|jp|au|ca|sa|il|me|af|in|global)\.(?=[a-z0-9-]+\.)/, '')
}
