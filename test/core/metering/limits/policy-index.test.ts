/** A request is compared with few of many policies, with the same result and order as for all. */
import { expect } from 'chai'
import fc from 'fast-check'
import { compileRateLimit } from '#core/metering/limits/compiled-limit'
import { compilePolicy } from '#core/metering/limits/policy'
import { policyCandidates } from '#core/metering/limits/policy-index'
import type { PolicySubject } from '#flow/limits'
import { assertProperty } from '../../../support/assert-property.ts'

const limit = compileRateLimit(
  { owner: 'o', param: 'p', label: 'it' },
  { type: 'requests', unit: 'rpm', value: 1 },
)

const name = fc.constantFrom('a', 'b', 'm', '@a/m', 'x@b', 'chatComplete')
const key = fc.constantFrom(
  ...['api_key', 'workspace_id', 'organisation_id', 'virtual_key', 'provider', 'model', 'config', 'prompt'],
  ...['endpoint_type', 'metadata.team', 'metadata._user', 'mcp_tool'],
)
const written = fc.oneof(name, fc.constantFrom('*', 'a*', '@a/*', 'chatcomplete', '/v1/chat/completions'))
const condition = fc.record({ key, value: fc.oneof(written, fc.array(written, { maxLength: 3 })) })
const policy = fc
  .array(condition, { minLength: 1, maxLength: 3 })
  .map((conditions) => compilePolicy({ conditions, group_by: [{ key: 'organisation_id' }] }, limit, null))

const some = fc.option(name)
const subject: fc.Arbitrary<PolicySubject> = fc.record({
  keyId: some,
  organisationId: name,
  organisationSlug: some,
  workspaceId: name,
  workspaceSlug: name,
  metadata: fc.dictionary(fc.constantFrom('team', '_user'), name),
  config: fc.option(fc.record({ slug: name, id: name, version: fc.constant(null) })),
  prompt: fc.option(fc.record({ slug: name, id: name })),
  endpoint: fc.option(fc.constantFrom('chatComplete', 'embed')),
  target: fc.option(fc.record({ slug: some, provider: name, model: some })),
  tool: fc.option(fc.record({ server: name, name })),
})

describe('many policies', () => {
  it('match a request the same as comparing each policy with it', () => {
    const property = fc.property(
      fc.array(policy, { minLength: 16, maxLength: 60 }),
      fc.array(subject, { minLength: 1, maxLength: 5 }),
      (policies, subjects) => {
        for (const each of subjects) {
          const applying = policyCandidates(policies, each).filter(({ match }) => match(each) !== null)
          expect(applying).to.deep.equal(policies.filter(({ match }) => match(each) !== null))
        }
      },
    )
    assertProperty(property, { numRuns: 300 })
  })

  it('are compared only with requests that contain one of their values', () => {
    const policies = Array.from({ length: 1000 }, (_, index) =>
      compilePolicy(
        { conditions: [{ key: 'model', value: `m-${index}` }], group_by: [{ key: 'api_key' }] },
        limit,
        null,
      ),
    )
    const target = { slug: 'a', provider: 'b', model: 'm-7' }
    const given = { ...fc.sample(subject, 1)[0], target } as PolicySubject
    expect(policyCandidates(policies, given)).to.deep.equal([policies[7]])
  })
})
