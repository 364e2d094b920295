/**
 * The contract of a service package: routes beside inference, such as management.
 * A package with `"gateway": {"kind": "service", "contract": 1}` default-exports a {@link ServicePlugin}.
 */
import type { TSchema } from '@sinclair/typebox'
import type { Json } from './json.ts'

/** Who calls. */
export interface Identity {
  /** Null for the admin key. */
  keyId: string | null
  name: string
  workspace: string
  /** `*` holds every scope. */
  scopes: ReadonlySet<string>
}

export interface ServiceRequest {
  identity: Identity
  traceId: string
  /** Path parameters, decoded. */
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  /** Validated against `Route.body`; null when the route has none. */
  body: unknown
}

export interface ServiceAnswer {
  status: number
  headers?: Readonly<Record<string, string>>
  body: Json
}

export interface Route {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below the root, with parameters: `/v1/things/:thingId`. */
  path: string
  /** What the credential needs; null: any valid key. */
  scope: string | null
  body?: TSchema
  query?: TSchema
  handle(request: ServiceRequest): Promise<ServiceAnswer>
}

export interface ServicePlugin {
  name: string
  title: string
  routes: readonly Route[]
}
