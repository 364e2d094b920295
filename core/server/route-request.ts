/**
 * A request as a service receives it. It can be in any phase, because some requests are reported after they were
 * refused. A class with lazy members, because few services use all of them.
 */
import type {
  AuthenticateOptions,
  DataPath,
  GuardrailSubject,
  Identity,
  InferencePlan,
  JsonObject,
  PlannedCall,
  Route,
  ServiceRequest,
} from '@gateway/contract'
import { callerOf, cookieOf, type Ended, type Runtime } from '@gateway/flow'
import { runGuardrail } from '../guardrails/index.ts'
import { createDataPath } from './data-path.ts'
import { authenticate, credentialsOf } from './late-caller.ts'
import { planCall } from './plan/plan-call.ts'

type Params = Readonly<Record<string, string>>

export class RouteRequest<Body = unknown> implements ServiceRequest {
  protected readonly ports: Runtime
  readonly identity: Identity | null
  readonly traceId: string
  readonly method: string
  readonly path: string
  readonly params: Params
  readonly search: string
  readonly headers: Readonly<Record<string, string>>
  readonly prefix: string
  readonly body: Body
  readonly bodyStream: AsyncIterable<Buffer> | null
  readonly clientIp: string
  protected readonly exchange: Ended
  private readonly cookieNames: readonly string[]

  constructor(
    ports: Runtime,
    exchange: Ended,
    {
      params,
      body,
      route: { streamsBody, cookies = noNames } = {},
    }: { params: Params; body: Body; route?: Pick<Route, 'streamsBody' | 'cookies'> },
  ) {
    this.ports = ports
    const { transport } = exchange
    this.identity = exchange.caller?.identity ?? null
    this.traceId = exchange.request.traceId
    this.method = transport.method
    this.path = transport.path
    this.params = params
    this.search = transport.search
    this.headers = exchange.headers
    this.prefix = exchange.request.ownHeaders.prefix
    this.body = body
    this.bodyStream = streamsBody === true ? transport.streamBody() : null
    this.clientIp = transport.clientIp
    this.exchange = exchange
    this.cookieNames = cookies
  }

  get query(): Readonly<Record<string, string>> {
    return this.search === '' ? noQuery : Object.fromEntries(this.exchange.transport.query)
  }

  /** The gateway's own headers without the credential, which only the gateway sees. */
  get own(): ReadonlyMap<string, string> {
    return new Map([...this.exchange.request.ownHeaders.values].filter(([name]) => name !== 'api-key'))
  }

  get cookies(): ReadonlyMap<string, string> {
    const { cookie } = this.exchange.transport.headers
    if (cookie === undefined) return noCookies
    return new Map(
      this.cookieNames.flatMap((name) => {
        const value = cookieOf(String(cookie), name)
        return value === null ? [] : [[name, value]]
      }),
    )
  }

  get signal(): AbortSignal {
    return this.exchange.leaving.signal
  }

  get basic(): string | null {
    return credentialsOf(this.exchange).basic
  }

  get bearer(): string | null {
    return credentialsOf(this.exchange).bearer
  }

  get jwt(): string | null {
    return credentialsOf(this.exchange).jwt
  }

  get hasKey(): boolean {
    return credentialsOf(this.exchange).hasKey
  }

  get dataPath(): DataPath {
    return createDataPath(this.ports, this.exchange)
  }

  runGuardrail(guardrail: JsonObject, subject: GuardrailSubject): Promise<JsonObject> {
    return runGuardrail(this.ports, callerOf(this.exchange), { guardrail, subject })
  }

  plan(call: PlannedCall): Promise<InferencePlan> {
    return planCall(this.ports, callerOf(this.exchange), call)
  }

  authenticate(options?: AuthenticateOptions): Promise<Identity> {
    return authenticate(this.ports, this.exchange, options)
  }

  readBody(): Promise<Buffer> {
    const { transport, workspace } = this.exchange
    return transport.readBytes({ maxBytes: workspace.file.server.body_limit })
  }
}

const noNames: readonly string[] = []
const noCookies: ReadonlyMap<string, string> = new Map()
const noQuery: Readonly<Record<string, string>> = Object.freeze({})
