/** Which requests share a cache key and which do not. */
import { expect } from 'chai'
import {
  adminKey,
  chat,
  configHeader,
  startGateway,
  type TestGateway,
  target,
} from '../../support/gateway.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'
import { cacheStatus, chatPath, hashOf } from './support.ts'

interface Question {
  body?: Record<string, unknown>
  config?: Record<string, unknown>
  headers?: Record<string, string>
}

describe('the cache key', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let twin: Upstream
  let topic = 0

  before(async () => {
    upstream = await openUpstream()
    twin = await openUpstream()
    const key = (name: string, workspace: string) => ({
      name,
      key_hash: hashOf(name),
      scopes: ['completions.write'],
      workspace,
    })
    gateway = await startGateway({
      api_keys: [key('key-red', 'red'), key('key-red-too', 'red'), key('key-blue', 'blue')],
      guardrails: { passes: { checks: [{ id: 'default.wordCount', parameters: { minWords: 0 } }] } },
      providers: {
        one: { provider: 'openai', api_key: 'sk-one', custom_host: upstream.url },
        two: { provider: 'openai', api_key: 'sk-two', custom_host: upstream.url },
      },
    })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await twin.close()
  })
  beforeEach(() => {
    topic += 1
  })

  const leaf = () => target(upstream.url)

  /**
   * Sends two requests on a new topic, one after the other. Returns whether the second is answered from the cache entry
   * of the first.
   */
  async function compare(first: Question, second: Question): Promise<'same' | 'other'> {
    const statuses = []
    for (const { body = {}, config = leaf(), headers = {} } of [first, second]) {
      const cachedConfig = configHeader({ cache: { mode: 'simple' }, ...config })
      const asked = gateway.post(chatPath, chat(`topic ${topic}`, body), { ...cachedConfig, ...headers })
      statuses.push(await cacheStatus(asked))
    }
    expect(statuses[0]).to.equal('MISS')
    return statuses[1] === 'HIT' ? 'same' : 'other'
  }

  const metadata = (value: unknown) => ({ 'x-gateway-metadata': JSON.stringify(value) })
  const namespace = (value: string) => ({ 'x-gateway-cache-namespace': value })
  const key = (value: string) => ({ 'x-gateway-api-key': value })
  const forwarding = () => ({ ...leaf(), forward_headers: ['x-user'] })
  const fallback = (...targets: Record<string, unknown>[]) => ({ strategy: { mode: 'fallback' }, targets })
  /** A config without provider and credential, which are in the request. */
  const bare = { retry: { attempts: 0 } }
  const direct = (credential: string, host: string) => ({
    'x-gateway-provider': 'openai',
    authorization: `Bearer ${credential}`,
    'x-gateway-custom-host': host,
  })

  const same: Record<string, () => [Question, Question]> = {
    'the same question': () => [{}, {}],
    'another trace id': () => [{}, { headers: { 'x-gateway-trace-id': 'other' } }],
    'another header that is not forwarded': () => [{}, { headers: { 'x-user': 'b', accept: 'text/plain' } }],
    'another timeout': () => [{}, { headers: { 'x-gateway-request-timeout': '5000' } }],
    'metadata in another order': () => [
      { headers: metadata({ a: '1', b: '2' }) },
      { headers: metadata({ b: '2', a: '1' }) },
    ],
    'other metadata in the same namespace': () => [
      { headers: { ...namespace('n'), ...metadata({ user: 'a' }) } },
      { headers: { ...namespace('n'), ...metadata({ user: 'b' }) } },
    ],
    'another model, when the config sets the model': () => [
      { body: { model: 'a' }, config: { ...leaf(), override_params: { model: 'c' } } },
      { body: { model: 'b' }, config: { ...leaf(), override_params: { model: 'c' } } },
    ],
    'another key of the same workspace': () => [{ headers: key('key-red') }, { headers: key('key-red-too') }],
    'the same forwarded header': () => [
      { config: forwarding(), headers: { 'x-user': 'a' } },
      { config: forwarding(), headers: { 'X-User': 'a' } },
    ],
    'the same credential that came with the request': () => [
      { config: bare, headers: direct('sk-a', upstream.url) },
      { config: bare, headers: direct('sk-a', upstream.url) },
    ],
  }

  const named = (name: string, extra: object = {}) => ({ ...leaf(), name, ...extra })
  const conditional = (...names: [one: string, two: string]) => ({
    strategy: {
      mode: 'conditional',
      conditions: [{ query: { 'metadata.team': 'a' }, then: names[0] }],
      default: names[1],
    },
    targets: names.map((name) => named(name)),
  })
  const balanced = (weights: readonly number[], strategy: object = {}) => ({
    strategy: { mode: 'loadbalance', ...strategy },
    targets: weights.map((weight) => ({ ...leaf(), weight })),
  })
  /** Settings that affect how an answer is obtained or stored, but not the answer. */
  const tuned: Record<string, Record<string, unknown>> = {
    'another max_age': { cache: { mode: 'simple', max_age: 3600 } },
    'another mode': { cache: { mode: 'semantic' } },
    'another threshold': { cache: { mode: 'semantic', threshold: 0.8 } },
    'other retries': { retry: { attempts: 2, on_status_codes: [429] } },
    'a hedge': { hedge: { after_ms: 60_000 } },
    'a circuit breaker': { cb_config: { failure_threshold: 5, cooldown_interval: 30_000 } },
    'another request_timeout': { request_timeout: 60_000 },
    'another first_token_timeout': { first_token_timeout: 60_000 },
    'another stream_idle_timeout': { stream_idle_timeout: 60_000 },
    'another stream_total_timeout': { stream_total_timeout: 60_000 },
    'a name': { name: 'mine' },
    'a weight': { weight: 3 },
  }
  for (const [what, keys] of Object.entries(tuned)) {
    same[what] = () => [{}, { config: { ...leaf(), ...keys } }]
    const { cache: _, ...below } = keys
    same[`${what}, of a target`] = () => [
      { config: fallback(leaf()) },
      { config: fallback({ ...leaf(), ...below }) },
    ]
  }
  Object.assign(same, {
    'other names of targets': () => [{ config: conditional('a', 'b') }, { config: conditional('c', 'd') }],
    'other weights': () => [{ config: balanced([1, 2]) }, { config: balanced([9, 1]) }],
    'another balance': () => [
      { config: balanced([1, 2]) },
      { config: balanced([1, 2], { balance: 'least_pending' }) },
    ],
    'sticky sessions': () => [
      { config: balanced([1, 2]) },
      { config: balanced([1, 2], { sticky: { by: 'user' } }) },
    ],
    'other codes that continue a fallback': () => [
      { config: fallback(leaf()) },
      { config: { ...fallback(leaf()), strategy: { mode: 'fallback', on_status_codes: [429, 500] } } },
    ],
    'a hook that is inherited': () => [
      { config: { ...fallback(leaf()), output_guardrails: ['passes'] } },
      { config: { ...fallback(leaf()), output_guardrails: ['passes'], retry: { attempts: 1 } } },
    ],
  } satisfies Record<string, () => [Question, Question]>)

  const other: Record<string, () => [Question, Question]> = {
    'a weight of 0': () => [{ config: balanced([1, 2]) }, { config: balanced([0, 2]) }],
    'another default target': () => [
      { config: conditional('a', 'b') },
      {
        config: { ...conditional('a', 'b'), strategy: { ...conditional('a', 'b').strategy, default: 'a' } },
      },
    ],
    'another condition': () => [
      { config: conditional('a', 'b') },
      {
        config: {
          ...conditional('a', 'b'),
          strategy: {
            ...conditional('a', 'b').strategy,
            conditions: [{ query: { 'metadata.team': 'b' }, then: 'a' }],
          },
        },
      },
    ],
    'codes that continue a fallback after a success': () => [
      { config: fallback(leaf(), leaf()) },
      { config: fallback({ ...leaf(), on_status_codes: [200] }, leaf()) },
    ],
    'another parameter': () => [{}, { body: { temperature: 0.5 } }],
    'another model': () => [{ body: { model: 'a' } }, { body: { model: 'b' } }],
    'another user': () => [{ body: { user: 'a' } }, { body: { user: 'b' } }],
    'a stream': () => [{}, { body: { stream: true } }],
    'other metadata': () => [{ headers: metadata({ user: 'a' }) }, { headers: metadata({ user: 'b' }) }],
    'metadata and none': () => [{}, { headers: metadata({ user: 'a' }) }],
    'another namespace': () => [{ headers: namespace('a') }, { headers: namespace('b') }],
    'a namespace and none': () => [{}, { headers: namespace('a') }],
    'a namespace that reads like metadata': () => [
      { headers: metadata({ a: '1' }) },
      { headers: namespace('[["a","1"]]') },
    ],
    'other override_params': () => [
      { config: { ...leaf(), override_params: { top_p: 0.1 } } },
      { config: { ...leaf(), override_params: { top_p: 0.2 } } },
    ],
    'other override_params of a target below': () => [
      { config: fallback({ ...leaf(), override_params: { top_p: 0.1 } }) },
      { config: fallback({ ...leaf(), override_params: { top_p: 0.2 } }) },
    ],
    'another workspace': () => [{ headers: key('key-red') }, { headers: key('key-blue') }],
    'another workspace, in the same namespace': () => [
      { headers: { ...key('key-red'), ...namespace('n') } },
      { headers: { ...key(adminKey), ...namespace('n') } },
    ],
    'another credential in the config': () => [{}, { config: { ...leaf(), api_key: 'sk-other' } }],
    'another stored credential': () => [
      { config: { virtual_key: 'one' } },
      { config: { virtual_key: 'two' } },
    ],
    'another stored credential, named by a header': () => [
      { config: bare, headers: { 'x-gateway-virtual-key': 'one' } },
      { config: bare, headers: { 'x-gateway-virtual-key': 'two' } },
    ],
    'another credential that came with the request': () => [
      { config: bare, headers: direct('sk-a', upstream.url) },
      { config: bare, headers: direct('sk-b', upstream.url) },
    ],
    'another host that came with the request': () => [
      { config: bare, headers: direct('sk-a', upstream.url) },
      { config: bare, headers: direct('sk-a', twin.url) },
    ],
    'another organisation': () => [{}, { config: { ...leaf(), compat_organization: 'org' } }],
    'another host': () => [{}, { config: target(twin.url) }],
    'another host that a header names': () => [{}, { headers: { 'x-gateway-custom-host': twin.url } }],
    'another provider at the same host': () => [{}, { config: { ...leaf(), provider: 'groq' } }],
    'other targets': () => [{ config: fallback(leaf()) }, { config: fallback(target(twin.url), leaf()) }],
    'another forwarded header': () => [
      { config: forwarding(), headers: { 'x-user': 'a' } },
      { config: forwarding(), headers: { 'x-user': 'b' } },
    ],
    'a header that a target below forwards': () => [
      { config: fallback(forwarding()), headers: { 'x-user': 'a' } },
      { config: fallback(forwarding()), headers: { 'x-user': 'b' } },
    ],
    'a header that the request lets pass': () => [
      { headers: { 'x-gateway-forward-headers': 'x-user', 'x-user': 'a' } },
      { headers: { 'x-gateway-forward-headers': 'x-user', 'x-user': 'b' } },
    ],
    'other guardrails': () => [
      {},
      { config: { ...leaf(), output_guardrails: [{ 'default.wordCount': { minWords: 0 } }] } },
    ],
  }

  for (const [expected, rows] of Object.entries({ same, other })) {
    for (const [name, questions] of Object.entries(rows)) {
      it(`is ${expected === 'same' ? 'the same' : 'different'} with ${name}`, async () => {
        expect(await compare(...questions())).to.equal(expected)
      })
    }
  }
})
