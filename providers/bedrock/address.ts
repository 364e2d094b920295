/**
 * Where the API's services stand, and how a model is named in their paths. `custom_host` serves them all.
 * Reference: https://docs.aws.amazon.com/general/latest/gr/bedrock.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/inference-profiles-support.html
 */
import type { JsonObject, ProcedureContext } from '@gateway/contract'
import { awsDomain, pathSegment } from '@gateway/provider-kit'

/** `bedrock-runtime` infers, `bedrock-agent-runtime` reranks, `bedrock` knows the models. */
export type Service = 'bedrock-runtime' | 'bedrock-agent-runtime' | 'bedrock'

/** The address of a service in a region. */
export function serviceUrl(service: Service, region: string): string {
  return `https://${service}.${region}.${awsDomain(region)}`
}

/** The address of a service for a call of a procedure, whose own base URL is that of inference. */
export function serviceUrlFor(service: Service, region: string, context: ProcedureContext): string {
  const { custom_host: custom } = context.settings
  return custom === undefined || context.baseUrl === null ? serviceUrl(service, region) : context.baseUrl
}

/** The model of a request; empty when it names none. */
export const modelOf = ({ model }: JsonObject): string => (typeof model === 'string' ? model : '')

/** The path of an operation on a model: an id, a profile's id or an ARN, as one segment. */
export function modelPath(model: string, operation: string): string {
  return `/model/${pathSegment(model, '/model', 'bedrock')}/${operation}`
}

/** The id of the model behind a profile that spans regions, such as `us.anthropic.…`. */
export function baseModel(model: string): string {
  return model.replace(/^(?:us-gov|us|eu|apac|jp|au|ca|sa|il|me|af|in|global)\.(?=[a-z0-9-]+\.)/, '')
}
