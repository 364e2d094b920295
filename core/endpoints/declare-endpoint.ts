/**
 * Declares an endpoint: its properties for the stages (`flow/endpoint.ts`), and its routes with their pipelines and
 * OpenAPI texts. Omitted members get the value that most endpoints have.
 */
import type { EndpointId, JsonObject, RouteDescription } from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Endpoint, Exchange, Run } from '../flow/index.ts'
import { compatibleFormat } from '../streaming/index.ts'

/** The lists of `core/pipeline.ts` by name. With the last two the endpoint's own code answers. */
export type PipelineName =
  | 'inference'
  | 'stored-response'
  | 'stored-response-removal'
  | 'provider-object'
  | 'session'
  | 'config'
  | 'local'

/** A route's properties; `run` is its pipeline. */
type Serve = (exchange: Exchange, params: Readonly<Record<string, string>>, run: Run) => Promise<void>

export interface EndpointRoute extends Omit<RouteDescription, 'method' | 'scope'> {
  /** GET includes HEAD. OPTIONS is not listed in OpenAPI. */
  readonly method: RouteDescription['method'] | 'OPTIONS'
  readonly pipeline: PipelineName
  /** Default: only the pipeline. */
  readonly serve?: Serve
  /** The body for a service that answers the route; default: a small JSON object. */
  readonly readBody?: (exchange: Exchange) => Promise<JsonObject>
}

export interface DeclaredEndpoint extends Endpoint {
  readonly routes: readonly EndpointRoute[]
}

type Given = { id: EndpointId } & Partial<Omit<Endpoint, 'id'>>

export const inferenceScope = 'completions.write'

const always = () => true

/** Declares an endpoint. All have the same object shape, because stages read them on every request. */
export function declareEndpoint(given: Given & { routes: readonly EndpointRoute[] }): DeclaredEndpoint {
  const { format = compatibleFormat } = given
  return {
    id: given.id,
    routes: given.routes,
    scopes: given.scopes ?? [inferenceScope],
    needsWorkspace: given.needsWorkspace ?? true,
    request: given.request ?? null,
    form: given.form ?? null,
    completeBody: given.completeBody ?? null,
    isSession: given.isSession ?? false,
    isProxied: given.isProxied ?? false,
    requestTexts: given.requestTexts ?? null,
    answerTexts: given.answerTexts ?? null,
    conversation: given.conversation ?? null,
    promptMembers: given.promptMembers ?? null,
    answerList: given.answerList ?? null,
    streams: given.streams ?? false,
    format,
    asksForUsage: given.asksForUsage ?? false,
    readUsage: given.readUsage ?? null,
    isMetered: given.isMetered ?? true,
    isLogged: given.isLogged ?? true,
    isRepeatable: given.isRepeatable ?? false,
    makesImages: given.makesImages ?? false,
    isEstimatePriced: given.isEstimatePriced ?? true,
    maxAnswerBytes: given.maxAnswerBytes ?? null,
    mayCache: given.mayCache ?? always,
    recallsResponses: given.recallsResponses ?? false,
    keepsResponses: given.keepsResponses ?? false,
    translation: given.translation ?? null,
  }
}

export interface InferenceWords {
  path: string
  /** Further paths of the same route. */
  aliases?: readonly string[]
  summary: string
  tag: string
  /** Details beyond the summary. */
  description?: string
  /** An example of the body, without `model`. */
  example?: JsonObject
  /** Schema of the answer, where it is JSON. */
  answer?: TSchema
  /** Schema of one event of a streamed answer. */
  event?: TSchema
  /** Content types of the answer besides JSON and events. */
  answerTypes?: readonly string[]
}

const json = 'application/json'
export const events = 'text/event-stream'

/** Declares an endpoint with one route: a `POST` that runs the inference pipeline. */
export function declareInference(given: Given & InferenceWords): DeclaredEndpoint {
  const {
    id,
    path,
    aliases,
    summary,
    description,
    example,
    tag,
    answer,
    event,
    answerTypes = [],
    form,
    streams,
  } = given
  const bodyTypes = form ? [...(form.orJson ? [json] : []), 'multipart/form-data'] : [json]
  const answered = [...(answer === undefined ? [] : [json]), ...answerTypes, ...(streams ? [events] : [])]
  const route: EndpointRoute = {
    method: 'POST',
    path,
    ...(aliases === undefined ? {} : { aliases }),
    operationId: id,
    summary,
    ...(description === undefined ? {} : { description }),
    ...(example === undefined ? {} : { example }),
    tag,
    ...(answer === undefined ? {} : { answer }),
    ...(event === undefined ? {} : { event }),
    media: { body: bodyTypes, answer: answered },
    pipeline: 'inference',
  }
  return declareEndpoint({ ...given, routes: [route] })
}
