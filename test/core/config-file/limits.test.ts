/** Invalid limits and policies in a config file, each with its path. */
import { expect } from 'chai'
import { checkConfigText, createFileContext } from '#config-file/read-file'

const context = createFileContext(['echo'])
const key = { name: 'a', key_hash: `sha256:${'0'.repeat(64)}`, scopes: ['*'] }
const rate = { type: 'requests', unit: 'rpm', value: 1 }
const terms = { conditions: [{ key: 'model', value: '*' }], group_by: [{ key: 'api_key' }] }

describe('limits in a config file', () => {
  const faulty: [what: string, file: unknown, param: string][] = [
    [
      'two of a type',
      { api_keys: [{ ...key, usage_limits: [{ credit_limit: 1 }, { type: 'cost', credit_limit: 2 }] }] },
      '/api_keys/0/usage_limits/1',
    ],
    [
      'two of a type and unit',
      { workspaces: { w: { rate_limits: [rate, { ...rate, unit: 'rph' }, rate] } } },
      '/workspaces/w/rate_limits/2',
    ],
    [
      'a fraction of a token',
      { workspaces: { w: { usage_limits: { type: 'tokens', credit_limit: 1.5 } } } },
      '/workspaces/w/usage_limits/credit_limit',
    ],
    [
      'an alert above the limit',
      { providers: { p: { provider: 'echo', usage_limits: { credit_limit: 1, alert_threshold: 1 } } } },
      '/providers/p/usage_limits/alert_threshold',
    ],
    [
      'two periods',
      {
        workspaces: {
          w: { usage_limits: { credit_limit: 1, periodic_reset: 'weekly', periodic_reset_days: 3 } },
        },
      },
      '/workspaces/w/usage_limits/periodic_reset_days',
    ],
    [
      'a reset at no time',
      { workspaces: { w: { usage_limits: { credit_limit: 1, next_usage_reset_at: 'soon' } } } },
      '/workspaces/w/usage_limits/next_usage_reset_at',
    ],
    [
      'a condition on nothing',
      { policies: { rate_limits: [{ ...terms, conditions: [{ key: 'a', value: '*' }], ...rate }] } },
      '/policies/rate_limits/0/conditions/0/key',
    ],
    [
      'an unknown endpoint',
      {
        policies: {
          usage_limits: [
            { ...terms, conditions: [{ key: 'endpoint_type', value: 'chat' }], credit_limit: 1 },
          ],
        },
      },
      '/policies/usage_limits/0/conditions/0/value',
    ],
    [
      'a price of an unknown class',
      {
        providers: {
          p: {
            provider: 'echo',
            models: [{ slug: 'm', pricing_adjustments: { multiplier: { tokens: 2 } } }],
          },
        },
      },
      '/providers/p/models/0/pricing_adjustments/multiplier',
    ],
    [
      'a price of an unknown unit',
      {
        providers: {
          p: {
            provider: 'echo',
            models: [
              {
                slug: 'm',
                pricing_config: { pay_as_you_go: { additional_units: { images: { price: 1 } } } },
              },
            ],
          },
        },
      },
      '/providers/p/models/0/pricing_config/pay_as_you_go/additional_units',
    ],
    [
      'a multiplier of a provider for an unknown unit',
      {
        providers: {
          p: { provider: 'echo', pricing_adjustments: { multiplier: { additional_units: { images: 1 } } } },
        },
      },
      '/providers/p/pricing_adjustments/multiplier/additional_units',
    ],
    [
      'a price below nothing',
      {
        providers: {
          p: {
            provider: 'echo',
            models: [{ slug: 'm', pricing_config: { pay_as_you_go: { request_token: { price: -1 } } } }],
          },
        },
      },
      '/providers/p/models/0/pricing_config/pay_as_you_go/request_token/price',
    ],
  ]
  for (const [what, file, param] of faulty) {
    it(`refuses ${what}`, () => {
      const { faults } = checkConfigText(JSON.stringify(file), {}, { context })
      expect(faults.map((fault) => fault.param)).to.deep.equal([param])
    })
  }

  it('are accepted as one object or as several of different types', () => {
    const { faults } = checkConfigText(
      JSON.stringify({
        api_keys: [{ ...key, usage_limits: { credit_limit: 1, alert_threshold: 0.5 }, rate_limits: rate }],
        workspaces: {
          w: {
            usage_limits: [{ credit_limit: 1 }, { type: 'tokens', credit_limit: 5 }],
            rate_limits: [rate],
          },
        },
        policies: { rate_limits: [{ ...terms, ...rate }], usage_limits: [{ ...terms, credit_limit: 1 }] },
      }),
      {},
      { context },
    )
    expect(faults).to.deep.equal([])
  })
})
