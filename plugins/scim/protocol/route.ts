/** Routes below `/scim/v2`: rights, audit and idempotency of the management API, answers in the format of SCIM. */
import type { Capability, Json, Route, ServiceAnswer } from '@gateway/contract'
import { type Call, type ManagementContext, serve } from '@gateway/control-plane/engine'
import { type TSchema, Type } from '@sinclair/typebox'
import { renderScimError, scimJson } from './errors.ts'

export interface ScimRoute<Need extends Capability = never> {
  method: Route['method']
  /** The path below `/scim/v2`. */
  path: string
  operationId: string
  summary: string
  query?: TSchema
  /** Accepts a body; the handler validates it, with SCIM errors. */
  hasBody?: boolean
  audit?: { action: string; resource_type: string }
  handle: (call: Call<Need>) => Promise<ServiceAnswer>
}

const roots = ['/scim/v2', '/v1/scim/v2'] as const
const [root, ...aliases] = roots
const scope = 'scim.provision'
const anyObject = Type.Object({}, { additionalProperties: true })

export function scimRoute<Need extends Capability>(
  context: ManagementContext<Need>,
  route: ScimRoute<Need>,
): Route {
  const {
    path,
    hasBody = false,
    audit = { action: 'read', resource_type: 'scim' },
    handle,
    ...described
  } = route
  const served = serve(context, {
    ...described,
    path: `${root}${path}`,
    aliases: aliases.map((alias) => `${alias}${path}`),
    tag: 'SCIM',
    scope,
    ...(hasBody ? { body: anyObject } : {}),
    answer: anyObject,
    audit,
    async run(call) {
      await call.require([scope], null)
      return handle(call)
    },
  })
  const types = [scimJson]
  return {
    ...served,
    media: { answer: types, error: scimJson, ...(hasBody ? { body: [...types, 'application/json'] } : {}) },
    otherAnswers: { 201: anyObject, 204: Type.Null() },
    // Identity providers call from outside, where the admin listener may not be reachable.
    listener: 'main',
    renderError: renderScimError,
    rendersErrorsBelow: roots,
  }
}

export const scimAnswer = (
  body: Json,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): ServiceAnswer => ({
  status,
  headers: { ...headers, 'content-type': scimJson },
  body: { text: JSON.stringify(body) },
})

export const noContent = (headers: Readonly<Record<string, string>> = {}): ServiceAnswer => ({
  status: 204,
  headers: { ...headers, 'content-type': scimJson },
  body: { text: '' },
})

/** URLs of resources, under the requested base URL. */
export const locationOf = ({ context }: Pick<Call<'publicUrl'>, 'context'>, path: string): string =>
  `${context.publicUrl()}${root}${path}`
