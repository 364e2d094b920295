/** Pure functions of the console that make addresses and words: what links keep, and names of kinds and groups. */
import { endpointIds, serviceEndpoints } from '@gateway/contract'
import { expect } from 'chai'
import { loadWebModule } from './web-module.ts'

describe('addresses of the console', () => {
  const cases = [
    ['/console/keys', '', '/console/keys'],
    ['/console/keys', '?workspace=b', '/console/keys?workspace=b'],
    ['/console/keys?search=a#top', '?workspace=b&x=1', '/console/keys?search=a&workspace=b#top'],
    ['/console/keys?workspace=c', '?workspace=b', '/console/keys?workspace=c'],
    ['/oauth/authorize', '?workspace=b', '/oauth/authorize'],
  ] as const
  for (const [to, search, expected] of cases)
    it(`keep the workspace and the fragment: ${to} from "${search}"`, async () => {
      const { inWorkspace } = await loadWebModule<{ inWorkspace: (to: string, search: string) => string }>(
        'address.ts',
      )
      expect(inWorkspace(to, search)).to.equal(expected)
    })
})

describe('texts of the console', () => {
  it('name kinds of the audit log as the pages do, and accept both names', async () => {
    const { kindText, kindOf } =
      await loadWebModule<Record<'kindText' | 'kindOf', (text: string) => string>>('parts/audit-kinds.ts')
    for (const [kind, text] of [
      ['policy_rate_limits', 'rate limit'],
      ['policy_usage_limits', 'usage policy'],
      ['api-key', 'API key'],
      ['mcp-integration', 'MCP integration'],
      ['log-export', 'export'],
      ['config', 'config'],
    ] as const) {
      expect(kindText(kind)).to.equal(text)
      expect(kindOf(text)).to.equal(kind)
      expect(kindOf(kind)).to.equal(kind)
    }
  })

  it('name the keys by which a policy groups, and a group', async () => {
    const { groupKeysText, groupText } = await loadWebModule<{
      groupKeysText: (keys: readonly string[]) => string
      groupText: (text: string) => string
    }>('parts/group-text.ts')
    expect(groupKeysText(['api_key', 'metadata._user', 'model'])).to.equal('key, metadata _user, model')
    expect(groupKeysText([])).to.equal('nothing')
    expect(groupText('api_key:Web shop')).to.equal('Key Web shop')
    expect(groupText('metadata._user:ada')).to.equal('_user ada')
    expect(groupText('endpoint_type:chatComplete')).to.equal('Endpoint Chat completion')
  })

  it('name endpoints, those of other packages by their ids', async () => {
    const { endpointText } =
      await loadWebModule<Record<'endpointText', (id: string) => string>>('parts/endpoint-text.ts')
    expect(endpointText('chatComplete')).to.equal('Chat completion')
    expect(endpointText('createPoem')).to.equal('Create poem')
    const words = [...endpointIds, ...serviceEndpoints].map(endpointText)
    expect(new Set(words).size, 'each has a word of its own').to.equal(words.length)
  })

  it('name the limits of errors and decisions by their owner', async () => {
    const { limitText } =
      await loadWebModule<Record<'limitText', (param: string) => string>>('parts/limit-text.ts')
    expect(limitText('policies/usage-limits/Monthly')).to.equal('usage policy Monthly')
    expect(limitText('api-keys/Web shop')).to.equal('limit of the key Web shop')
    expect(limitText('somewhere')).to.equal('limit somewhere')
  })
})

describe('the steps of a request in words', () => {
  const second = 'config.targets[1]'
  const cases: readonly [decision: Record<string, unknown>, text: string][] = [
    [{ step: 'config', path: 'config', source: 'none' }, 'no config'],
    [
      { step: 'config', path: 'config', source: 'key', id: 'cfg-shop', version: 3 },
      'cfg-shop, version 3, the default of the key',
    ],
    [
      {
        ...{ step: 'config', path: 'config', source: 'header', id: 'cfg-shop', version: 4 },
        rollout: { from: 3, to: 4, percent: 25 },
      },
      'cfg-shop, version 4, from the request’s header, rollout from version 3 to 4 for 25% of the sessions',
    ],
    [
      { step: 'limit', path: null, param: 'policies/rate-limits/slow', admitted: true, remaining: 41 },
      'rate limit slow: allowed, 41 left',
    ],
    [
      { step: 'limit', path: null, param: 'api-keys/shop', admitted: false, remaining: null },
      'limit of the key shop: refused',
    ],
    [
      { step: 'guardrail', path: 'config', id: 'no-secrets', phase: 'before', verdict: true, denied: false },
      'no-secrets: the request passed',
    ],
    [
      { step: 'guardrail', path: 'config', id: 'no-secrets', phase: 'after', verdict: false, denied: true },
      'no-secrets: the answer failed and was denied',
    ],
    [
      { step: 'cache', path: 'config', status: 'SEMANTIC HIT', similarity: 0.97 },
      'semantic hit, 97% similar',
    ],
    [
      { step: 'cache', path: 'config', status: 'MISS', refused: [{ similarity: 0.98, because: 'numbers' }] },
      'miss, 1 similar question differs in a detail',
    ],
    [{ step: 'condition', path: 'config', index: 0, then: second }, 'condition 1 holds: target 2'],
    [
      { step: 'condition', path: 'config', index: null, then: second },
      'no condition holds: target 2, the default',
    ],
    [
      {
        ...{ step: 'pick', path: 'config', mode: 'loadbalance', chosen: second, probability: 0.25 },
        left_out: [{ path: 'config.targets[0]', because: 'breaker_open' }],
      },
      'target 2, probability 25%, not target 1 (circuit open)',
    ],
    [
      { step: 'pick', path: second, chosen: `${second}.targets[0]`, sticky: true, by: 'user', left_out: [] },
      'target 2.1, where its session goes (by user)',
    ],
    [
      { step: 'call', path: second, provider: 'openai', model: 'gpt-4o', status: 200 },
      'target 2 · openai/gpt-4o answered with 200',
    ],
    [
      { step: 'call', path: 'config', provider: 'openai', model: null, fault: 'timeout' },
      'openai did not answer in time',
    ],
    [
      { step: 'retry', path: 'config', attempt: 1, wait_ms: 400, because: 503 },
      'number 1, after 400 ms, because it returned 503 (service unavailable)',
    ],
    [
      { step: 'fallback', path: 'config.targets[0]', to: second, because: 'connection' },
      'to target 2, because target 1 could not be reached',
    ],
    [{ step: 'breaker', path: 'config', from: 'closed', to: 'open' }, 'closed → open'],
    [{ step: 'breaker', path: second, from: 'open', to: 'open' }, 'target 2 · open: not called'],
    [
      { step: 'capacity', path: second, left_out: second, because: 'full', opens_in_ms: 12_000 },
      'target 2 (at its limit): room in 12.00 s',
    ],
    [
      { step: 'queue', path: 'config', priority: 50, outcome: 'served', waited_ms: 1200 },
      'served after 1.20 s, priority 50',
    ],
    [{ step: 'end', path: second, status: 200, cost: 12.5 }, '200 by target 2 for $0.1250'],
    [{ step: 'end', path: 'config', status: 446, cost: 0 }, '446 for $0.00'],
    [{ step: 'later', path: null, at_ms: 3, some_member: 1 }, 'some member: 1'],
  ]
  for (const [decision, text] of cases)
    it(text, async () => {
      const { stepText } =
        await loadWebModule<Record<'stepText', (decision: object) => string>>('parts/step-text.ts')
      expect(stepText(decision)).to.equal(text)
    })
})
