/** Which endpoint is a client dialect: translated for every chat provider that does not have the endpoint itself. */
import type { EndpointId } from '@gateway/contract'
import type { ClientDialect } from '../../flow/client-dialect.ts'
import { messagesDialect } from '../messages/dialect.ts'
import { responsesDialect } from '../responses/dialect.ts'

export const clientDialects: Readonly<Partial<Record<EndpointId, ClientDialect>>> = {
  messages: messagesDialect,
  createModelResponse: responsesDialect,
}
