/** Turns a declared route into a route of the gateway: creates the call, applies idempotency, and records refusals. */

import {
  type Capability,
  type Fault,
  faultReason,
  type GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
  type Listener,
  ownMember,
  type Route,
  type ServiceAnswer,
  type ServiceRequest,
} from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Call, ManagementContext } from './call.ts'
import { createCall } from './create-call.ts'
import { withIdempotency } from './idempotency.ts'

export interface ServedRoute<Need extends Capability = never> {
  method: Route['method']
  path: string
  aliases?: readonly string[]
  operationId: string
  summary: string
  description?: string
  example?: JsonObject
  tag: string
  scope: Route['scope']
  body?: TSchema
  isBodyOptional?: boolean
  bodyLimit?: NonNullable<Route['bodyLimit']>
  streamsBody?: boolean
  cookies?: readonly string[]
  media?: NonNullable<Route['media']>
  otherAnswers?: NonNullable<Route['otherAnswers']>
  listener?: Listener
  query?: TSchema
  answer?: TSchema
  /** Members that bodies may repeat from fixed parts of the path. */
  repeats?: Readonly<JsonObject>
  /** The names for the audit log; for all methods but GET. */
  audit: { action: string; resource_type: string }
  run: (call: Call<Need>) => Promise<ServiceAnswer>
}

export function serve<Need extends Capability>(
  context: ManagementContext<Need>,
  served: ServedRoute<Need>,
): Route {
  const { run, audit, repeats: _, ...described } = served
  // Made by the first request: a start should not wait for hundreds of them.
  let withoutRepeated: ReturnType<typeof createRepeatedReader> | null = null
  const isWrite = served.method !== 'GET'

  /** All errors of the body: a call can be refused before its body is validated. */
  const faultsOfBody = ({ sent }: Call): readonly Fault[] =>
    sent === null || served.body === undefined ? [] : context.validator(served.body, 'invalid_body')(sent)

  async function note(call: Call, error: GatewayError): Promise<void> {
    // The audit log is in the same store. If the store is unavailable, do not wait for it a second time.
    if (!isWrite || call.hasWritten || error.code === 'store_unavailable') return
    try {
      const { workspaceId, boundWorkspaceId } = call.identity
      const refused = {
        action: audit.action,
        resource_type: audit.resource_type,
        resource_id: call.request.params.id ?? null,
        workspace_id: boundWorkspaceId === null ? null : workspaceId,
      }
      await call.recordRefusal(error, refused, faultsOfBody(call))
    } catch (fault) {
      // The caller gets the refusal's reason; the missing audit record is reported to the operator.
      const reason = faultReason(fault)
      context.log.error(
        { trace_id: call.request.traceId, reason },
        'failed to write the audit record of a refused write',
      )
    }
  }

  return {
    ...described,
    checksScopes: true,
    checksInput: true,
    async handle(request: ServiceRequest) {
      withoutRepeated ??= createRepeatedReader(served)
      const call = createCall(context, request, withoutRepeated(request))
      try {
        return await withIdempotency(call, () => run(call))
      } catch (error) {
        if (isGatewayError(error)) await note(call, error)
        throw error
      }
    },
    async refused(request, error) {
      await note(createCall(context, request, request.body), error)
    },
  }
}

const snake = (name: string) =>
  name.replaceAll('-', '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** `/workspaces/:id/users/:userId` → `id`, `slug` and `workspace_id` for the first, `user_id` for the second. */
function namesByParameter(path: string): [parameter: string, names: readonly string[]][] {
  const segments = path.split('/')
  return segments.flatMap((segment, index): [string, string[]][] => {
    if (!segment.startsWith(':')) return []
    const noun = snake(segments[index - 1] ?? '').replace(/s$/, '')
    const own = snake(segment.slice(1))
    return [[segment.slice(1), [own, `${noun}_id`, ...(own === 'id' ? ['slug'] : [])]]]
  })
}

/**
 * Makes a function that returns the body without members that repeat the route's path, as some clients send them: `PUT
 * /feedback/F` with `{"feedback_id": "F", …}`. Other values stay in the body, where validation refuses them; so do
 * members that the route's schema defines.
 */
function createRepeatedReader({
  path,
  body: schema,
  repeats = {},
}: Pick<ServedRoute, 'path' | 'body' | 'repeats'>) {
  const parameters = namesByParameter(path)
  const defined = isObject(schema?.properties) ? schema.properties : {}

  return function withoutRepeated({ body, params }: ServiceRequest): unknown {
    if (!isObject(body)) return body
    const given = parameters.flatMap(([parameter, names]) => names.map((name) => [name, params[parameter]]))
    const known: JsonObject = {
      ...Object.fromEntries(given.filter(([name = '']) => !Object.hasOwn(defined, name))),
      ...repeats,
    }
    const isRepeated = (name: string) => body[name] !== undefined && body[name] === ownMember(known, name)
    if (!Object.keys(body).some(isRepeated)) return body
    return Object.fromEntries(Object.entries(body).filter(([name]) => !isRepeated(name)))
  }
}
