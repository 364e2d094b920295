/**
 * Lists of stages: their order when they run, and, by the lines that the compiler must refuse, the order of phases. A
 * `@ts-expect-error` without an error does not compile.
 */
import { expect } from 'chai'
import { type Answer, createAnswer } from '#flow/answer'
import type { ConfigNode } from '#flow/config-node'
import type { Ledger } from '#flow/ledger'
import { nodeStages, stages } from '#flow/list'
import type { Admitted, Authenticated, Received, Resolved, Routed, Targeted } from '#flow/phases'
import type { Ports, Runtime } from '#flow/runtime'
import type { InwardStage, Next, Stage } from '#flow/stage'
import type { MaybePromise } from '#flow/waiting'

/** The stages of the phases, as in `pipeline.ts`. */
interface Stages {
  auth: Stage<Received, Authenticated>
  scrub: Stage<Authenticated, Admitted>
  route: Stage<Admitted, Routed>
  parse: InwardStage<Routed>
  resolve: InwardStage<Routed, Resolved>
  target(exchange: Resolved, next: Next<Targeted>): MaybePromise<Answer>
  retry: Stage<Targeted>
  call(exchange: Targeted): MaybePromise<Answer>
}

/** Compiled, and never called. */
function refusedOrders({ auth, scrub, route, parse, resolve, target, retry, call }: Stages): void {
  const admitted = stages<Received>().use(auth).use(scrub)
  const resolved = admitted.use(route).use<Routed>(parse).use<Resolved>(resolve)
  resolved.use(target).use(retry).end(call)

  // @ts-expect-error the caller is not known yet
  stages<Received>().use(scrub)
  // @ts-expect-error the body of a request is read before its route is known
  admitted.use<Routed>(parse)
  // @ts-expect-error no config has been found for it
  stages<Routed>().use(target)
  // @ts-expect-error a target is called before it is chosen
  resolved.end(call)
  // @ts-expect-error there is nothing to try again yet
  resolved.use(retry)

  const forSome = resolved.when(() => true, target)
  // @ts-expect-error a stage that runs for some requests only makes no phase
  forSome.end(call)
  const forSomeNodes = nodeStages<Resolved>().forNodes(() => true, target)
  // @ts-expect-error nor does one that runs for some config nodes
  forSomeNodes.end(call)
  // @ts-expect-error a list of config nodes needs one
  nodeStages<Routed>()
}

/** Members that a stage must not read. */
function hiddenFields(received: Received, resolved: Resolved): unknown[] {
  return [
    // @ts-expect-error who sent it is not known yet
    received.caller,
    // @ts-expect-error nor its body
    received.input,
    // @ts-expect-error nor what it is answered with: an answer is what the rest of a list returns
    received.answer,
    // @ts-expect-error its target has not been chosen
    resolved.target,
  ]
}

/** Members that forks share, which a stage replaces and never changes. */
function sharedFields(exchange: Targeted, ledger: Ledger): void {
  // @ts-expect-error the input is replaced as a whole
  exchange.input.body = {}
  // @ts-expect-error other requests of the key have the same caller
  exchange.caller.key = null
  // @ts-expect-error and so are the attempts
  exchange.attempt.last = null
  // @ts-expect-error all forks have one ledger
  exchange.request.ledger = ledger
}

/** Nor a port that it does not declare. */
function hiddenPorts(
  exchange: Targeted,
  next: Next<Targeted>,
  ports: Ports<'metrics'>,
): MaybePromise<Answer> {
  // @ts-expect-error the stage declares only `metrics`
  void ports.capacity
  return next(exchange)
}

describe('the order of phases', () => {
  it('is checked by the compiler, including the members that a stage may read: the functions above compile', () => {
    for (const compiled of [refusedOrders, hiddenFields, sharedFields, hiddenPorts])
      expect(compiled).to.be.a('function')
  })
})

describe('a list of stages', () => {
  const exchange = { node: { path: 'config' } as Partial<ConfigNode> as ConfigNode }
  type Exchange = typeof exchange
  const runtime = {} as Runtime
  const log: string[] = []
  const named =
    (name: string): Stage<Exchange> =>
    (given, next) => {
      log.push(`${name} in`)
      const answer = next(given) as Answer
      log.push(`${name} out`)
      return { ...answer, retries: answer.retries + 1 }
    }
  const last = () => {
    log.push('last')
    return createAnswer({})
  }
  beforeEach(() => {
    log.length = 0
  })

  it('runs each stage around the rest, returns the result of the first, and skips stages that a request does not need', () => {
    const run = stages<Exchange>()
      .use(named('first'))
      .when(() => false, named('skipped'))
      .when(() => true, named('second'))
      .end(last)
      .over(runtime)
    expect(run(exchange)).to.include({ retries: 2 })
    expect(log).to.deep.equal(['first in', 'second in', 'last', 'second out', 'first out'])
  })

  it('chooses the stages of a config node once, and gives them its setting', () => {
    let chosen = 0
    const given: unknown[] = []
    const run = nodeStages<Exchange>()
      .forNodes(
        (node) => {
          chosen += 1
          return node.path
        },
        (at, next, { setting: path }) => {
          given.push(path)
          return next(at)
        },
      )
      .forNodes<string>(
        () => null,
        () => expect.fail('a stage of other nodes ran'),
      )
      .end(last)
      .over(runtime)
    run(exchange)
    run(exchange)
    expect({ chosen, given, log }).to.deep.equal({
      chosen: 1,
      given: ['config', 'config'],
      log: ['last', 'last'],
    })
  })
})
