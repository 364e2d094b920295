/**
 * Declares an endpoint: its properties for the stages (`flow/endpoint.ts`), and its routes with their pipelines and
 * OpenAPI texts. Omitted members get the value that most endpoints have.
 */
import type { EndpointId, JsonObject, RouteDescription } from '@gateway/contract'
import type { Answer, Endpoint, Resolved, Routed, Run, Runtime } from '@gateway/flow'
import { compatibleFormat } from '@gateway/streaming'
import type { TSchema } from '@sinclair/typebox'

/** The pipelines of `core/pipeline.ts`. If an endpoint's own code answers, its pipeline only finds the config. */
export interface Pipelines {
  readonly inference: Run<Routed>
  readonly 'stored-response': Run<Routed>
  readonly 'stored-response-removal': Run<Routed>
  readonly 'provider-object': Run<Routed>
  readonly session: Run<Routed>
  readonly config: ResolveConfig
}

/** Finds the config that routes a request. */
export type ResolveConfig = Run<Routed, Resolved>

type Params = Readonly<Record<string, string>>

interface RouteWords extends Omit<RouteDescription, 'method' | 'scope'> {
  /** GET includes HEAD. OPTIONS is not listed in OpenAPI. */
  readonly method: RouteDescription['method'] | 'OPTIONS'
  /** Reads the body for a service that answers the route. Default: a small JSON object. */
  readonly readBody?: (exchange: Routed) => Promise<JsonObject>
}

/** A route that its pipeline answers. */
interface CalledRoute extends RouteWords {
  readonly pipeline: Exclude<keyof Pipelines, 'config'>
  /** Code around the pipeline, which it calls as `run`. Default: only the pipeline. */
  readonly serve?: (
    exchange: Routed,
    params: Params,
    options: { run: Run<Routed>; ports: Runtime },
  ) => Promise<Answer>
}

/** A route that the endpoint answers. */
interface OwnRoute extends RouteWords {
  readonly pipeline: 'config'
  readonly serve: (
    exchange: Routed,
    params: Params,
    options: { run: ResolveConfig; ports: Runtime },
  ) => Promise<Answer>
}

export type EndpointRoute = CalledRoute | OwnRoute

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
    session: given.session ?? null,
    requestSocket: given.requestSocket ?? null,
    responses: given.responses ?? null,
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
  /** The schema of a JSON answer. */
  answer?: TSchema
  /** The schema of one event of a streamed answer. */
  event?: TSchema
  /** Content types of the answer other than JSON and events. */
  answerTypes?: readonly string[]
}

const json = 'application/json'
const events = 'text/event-stream'

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
