/**
 * The contract of a dialect package: another format in which callers can use every provider, or the protocol of WebSocket
 * sessions. A package with `"gateway": {"kind": "dialect", "contract": 1}` default-exports a {@link DialectPlugin}. Its endpoints
 * are data and pure functions, or the relay of a session. The gateway routes, authenticates, limits, logs and documents them like
 * its own, and runs them through the lists of stages in `core/pipeline.ts`. Without the package, the gateway answers 404 at their
 * paths.
 */
import type { EndpointId } from '../endpoint.ts'
import type { JsonObject } from '../json.ts'
import type { RouteDescription } from '../service/route.ts'
import type { EndpointTraits } from './endpoint.ts'
import type { KeptResponse } from './response-state.ts'
import type { SessionProtocol } from './session.ts'
import type { StreamFormat } from './stream-format.ts'

export interface DialectPlugin {
  /** `dialect-NAME`, for `plugins.disabled`. */
  name: string
  title: string
  endpoints: readonly DialectEndpoint[]
}

/** An endpoint. The defaults of omitted members are in `core/endpoints/declare-endpoint.ts`. */
export type DialectEndpoint = Partial<EndpointTraits> & {
  /** Its id in policies, plugins and logs. It must be one of `endpointIds`, which providers can implement. */
  readonly id: EndpointId
  readonly routes: readonly DialectRoute[]
} & (
    | {
        /** The format of streams and errors. */
        readonly format: StreamFormat
      }
    // Errors of its upgrade requests have the format of chat completions.
    | { readonly session: SessionProtocol }
  )

/** The path of a route, and its words in the OpenAPI document. */
type RouteWords = Pick<
  RouteDescription,
  | 'path'
  | 'aliases'
  | 'operationId'
  | 'summary'
  | 'description'
  | 'example'
  | 'tag'
  | 'query'
  | 'answer'
  | 'otherAnswers'
  | 'event'
  | 'media'
>

/** A `POST` that calls a model. */
interface InferenceRoute extends RouteWords {
  readonly serves: 'inference'
  /** The encoding of this request's stream; null, the default, means server-sent events. */
  readonly framing?: (query: URLSearchParams) => StreamFraming | null
}

/** A `GET` that lists the models that the caller may use. */
interface ModelListRoute extends RouteWords {
  readonly serves: 'model-list'
  /** Errors: `invalid_query`. */
  readonly page: (query: URLSearchParams) => ModelPage
  /** @param next the offset of the next page; null after the last one */
  readonly render: (models: readonly DialectModel[], next: number | null) => JsonObject
}

/** A `GET` that returns a model. */
interface ModelRoute extends RouteWords {
  readonly serves: 'model'
  /** The model's id, as `GET /v1/models` lists it. @param params path parameters, decoded */
  readonly idOf: (params: Readonly<Record<string, string>>) => string
  readonly render: (model: DialectModel) => JsonObject
}

/**
 * An object that the provider stores, such as a batch. The request is forwarded, unless a service package stores such objects.
 */
interface ProviderObjectRoute extends RouteWords {
  readonly serves: 'provider-object'
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** The schema of its JSON body. Default: it has no body, and its query and path parameters are forwarded. */
  readonly body?: {
    readonly maxBytes: number
    /** Errors: `invalid_body`. */
    check(body: unknown): JsonObject
  }
}

/** A `GET` about a stored response: answered from the gateway's store, or forwarded to the provider that stores it. */
interface StoredResponseRoute extends RouteWords {
  readonly serves: 'stored-response'
  /** With the parameter `:id`. */
  readonly path: `${string}/:id${string}`
  /** Errors: `invalid_query`. */
  readonly read: (query: URLSearchParams) => StoredResponseQuery
}

/** A `DELETE` of a stored response. */
interface StoredResponseRemovalRoute extends RouteWords {
  readonly serves: 'stored-response-removal'
  readonly path: `${string}/:id`
  /** The answer for a response of the gateway's store. */
  readonly render: (id: string) => JsonObject
}

/** A `GET` that opens a WebSocket: a session of the endpoint's protocol. */
interface SessionRoute extends RouteWords {
  readonly serves: 'session'
  /** Builds the request body from the query of the upgrade, such as `{model}`. */
  readonly bodyOf: (query: URLSearchParams) => JsonObject
}

export type DialectRoute =
  | InferenceRoute
  | ModelListRoute
  | ModelRoute
  | ProviderObjectRoute
  | StoredResponseRoute
  | StoredResponseRemovalRoute
  | SessionRoute

/** What a request asks of a stored response. */
export interface StoredResponseQuery {
  /** The members that a provider gets. */
  members: JsonObject
  /** The answer, or the events of a streamed one. */
  render(kept: KeptResponse): { body: JsonObject } | { events: Iterable<JsonObject> }
}

export interface ModelPage {
  offset: number
  limit: number
}

/** A model that the caller may use. */
export interface DialectModel {
  /** The model's id, as callers write it. */
  id: string
  /** The id without the prefix of a stored credential. */
  slug: string
  name: string
  /** The size in tokens; null if unknown. */
  contextWindow: number | null
}

/** A stream encoding other than server-sent events. */
export interface StreamFraming {
  contentType: string
  /** Begins one stream. */
  open(): {
    /** @param data of an event */
    item(data: string): string
    end(): string
  }
}
