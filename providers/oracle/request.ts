/**
 * Converts a chat completion request to the details of a chat call: the compartment, the model or endpoint, and the
 * request in the model's format.
 * Reference: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/ChatDetails
 * Errors: `invalid_body` with the path.
 */
import { asJson, type CallContext, type JsonObject, type ProviderSettings } from '@gateway/contract'
import {
  refuseWebSearch,
  requireOneText,
  requireText,
  textOf,
  withoutLegacyFunctions,
} from '@gateway/provider-kit'
import { cohereRequest } from './cohere-request.ts'
import { cohereV2Request } from './cohere-v2-request.ts'
import { formatOf } from './format.ts'
import { genericRequest } from './generic-request.ts'
import { oracleSettings } from './settings.ts'
import type { ApiFormat, ChatDetails } from './wire.ts'

const writers = {
  GENERIC: genericRequest,
  COHERE: cohereRequest,
  COHEREV2: cohereV2Request,
} satisfies Record<ApiFormat, unknown>

/** The request body that the service accepts. */
export function oracleRequest(given: JsonObject, context: CallContext): JsonObject {
  const { settings } = context
  const body = withoutLegacyFunctions(given, settings.provider)
  const format = formatOf(body, settings)
  if (format === 'GENERIC') requireText(body, settings.provider)
  else {
    requireOneText(body, settings.provider)
    refuseWebSearch(body, settings.provider)
  }
  return toJson({ ...envelope(body, settings), chatRequest: writers[format](body, context) })
}

/** The root compartment is the tenancy. */
function envelope(body: JsonObject, settings: ProviderSettings): Omit<ChatDetails, 'chatRequest'> {
  const stored = oracleSettings(settings)
  const compartmentId = stored.oracle_compartment_id ?? stored.oracle_tenancy
  const model = textOf(body.model)
  return {
    ...(compartmentId === undefined ? {} : { compartmentId }),
    servingMode:
      stored.oracle_serving_mode === 'DEDICATED'
        ? { servingType: 'DEDICATED', endpointId: stored.oracle_endpoint_id ?? model }
        : { servingType: 'ON_DEMAND', modelId: model },
  }
}

/** The details as JSON: the compiler checks that they are. */
const toJson = (details: ChatDetails): JsonObject => asJson(details)
