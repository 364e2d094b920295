/** A route that belongs to no resource, with the same order of checks, audit and validation. */

import {
  type Capability,
  type Fault,
  faultsError,
  isObject,
  type Json,
  type JsonObject,
  type Listener,
  type Route,
  type ServiceAnswer,
} from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Call, ManagementContext } from './call.ts'
import { checkOrganisation } from './create-call.ts'
import { requireSomewhere } from './families.ts'
import { createQueryReader } from './query.ts'
import { toAnswer } from './resource-routes.ts'
import { serve } from './serve.ts'
import { trimStrings } from './trim.ts'

export interface PlainRoute<Need extends Capability = never> {
  method: Route['method']
  /** The complete path: `/v1/organisation/defaults`. */
  path: string
  aliases?: readonly string[]
  operationId: string
  summary: string
  description?: string
  example?: JsonObject
  tag: string
  /**
   * One of these scopes, in any workspace; `handle` checks the right one. `public`: no credential. Null: any
   * credential.
   */
  scope: string | readonly string[] | null | 'public'
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
  event?: NonNullable<Route['event']>
  audit: { action: string; resource_type: string }
  /** Errors of a body that a schema cannot express, with their paths. */
  checkBody?(body: unknown): readonly Fault[]
  /** Whether `authorise` checks the scope itself, because its error explains more. */
  checksScope?: boolean
  /** Refuses callers before their body is read, when the right to call does not depend on a scope. */
  authorise?: (call: Call<Need>) => void | Promise<void>
  /** `call.body` and `call.query` are already validated. */
  handle: (call: Call<Need>) => Promise<Json | ServiceAnswer>
}

export function plainRoute<Need extends Capability>(
  context: ManagementContext<Need>,
  route: PlainRoute<Need>,
): Route {
  const { handle, authorise, checksScope = false, checkBody, ...described } = route
  const check = checkBody ?? (route.body === undefined ? null : context.validator(route.body, 'invalid_body'))
  const read = route.query === undefined ? null : createQueryReader(route.query, context)
  return serve(context, {
    ...described,
    async run(call) {
      if (route.scope !== null && route.scope !== 'public' && !checksScope)
        await requireSomewhere(call, [route.scope].flat())
      await authorise?.(call)
      await checkOrganisation(call, call.request.query.organisation_id, 'query/organisation_id')
      if (read !== null) call.query = read(call.request.query)
      if (check !== null) {
        const trimmed = trimStrings(call.sent, route.body)
        const faults = check(trimmed)
        if (faults.length > 0) throw faultsError(faults)
        call.body = isObject(trimmed) ? trimmed : {}
      }
      return toAnswer(await handle(call))
    },
  })
}
