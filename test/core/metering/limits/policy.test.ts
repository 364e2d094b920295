/** The requests that a policy applies to, and their groups (management contract, section 15). */
import { expect } from 'chai'
import fastCheck from 'fast-check'
import { compileRateLimit } from '#core/metering/limits/compiled-limit'
import { compilePolicy, policyCounterKey } from '#core/metering/limits/policy'
import type { PolicySubject } from '#flow/limits'

const limit = compileRateLimit(
  { owner: 'o', param: 'p', label: 'it' },
  { type: 'requests', unit: 'rpm', value: 1 },
)

const subject: PolicySubject = {
  keyId: 'key-1',
  organisationId: 'org-1',
  organisationSlug: 'acme-org',
  workspaceId: 'ws-1',
  workspaceSlug: 'main',
  metadata: { _user: 'ann', team: 'red-team' },
  config: { slug: 'cfg-a', id: 'cfg-1', version: null },
  prompt: null,
  endpoint: 'chatComplete',
  target: { slug: 'prod', provider: 'acme', model: 'big-4' },
  tool: null,
}

const direct: PolicySubject = { ...subject, target: { slug: null, provider: 'acme', model: 'big-4' } }

type Value = string | string[]
interface HoldsOptions {
  excludes: Value | undefined
  given: PolicySubject
}

const holds = (key: string, value: Value, { excludes, given }: HoldsOptions) =>
  compilePolicy(
    {
      conditions: [{ key, value, ...(excludes === undefined ? {} : { excludes }) }],
      group_by: [{ key: 'organisation_id' }],
    },
    limit,
    null,
  ).match(given) !== null

describe('a condition', () => {
  const rows: [
    key: string,
    value: Value,
    excludes: Value | undefined,
    holds: boolean,
    given?: PolicySubject,
  ][] = [
    ['api_key', 'key-1', undefined, true],
    ['api_key', 'key-*', undefined, false],
    ['api_key', '*', undefined, true],
    ['api_key', '*', undefined, false, { ...subject, keyId: null }],
    ['workspace_id', 'main', undefined, true],
    ['workspace_id', ['x', 'ws-1'], undefined, true],
    ['organisation_id', 'org-2', undefined, false],
    ['organisation_id', 'acme-org', undefined, true],
    ['metadata._user', 'ann', undefined, true],
    ['metadata._user', 'Ann', undefined, false],
    ['metadata.team', 'red-*', undefined, true],
    ['metadata.team', '*', 'red-team', false],
    ['metadata.team', '*', ['blue', 'green'], true],
    ['metadata.none', '*', undefined, false],
    ['metadata.toString', '*', undefined, false],
    ['virtual_key', 'prod', undefined, true],
    ['virtual_key', 'pr*', 'prod', false],
    ['virtual_key', '*', undefined, false, direct],
    ['provider', 'acme', undefined, true],
    ['provider', 'prod', undefined, true],
    ['provider', 'ac*', undefined, true, direct],
    ['model', '@prod/big-4', undefined, true],
    ['model', '@prod/*', undefined, true],
    ['model', '@other/*', undefined, false],
    ['model', 'big-4', undefined, true],
    ['model', 'big-*', undefined, true],
    ['model', 'big', undefined, false],
    ['model', '*', '@prod/big-4', false],
    ['model', '@prod/*', undefined, false, direct],
    ['model', 'big-4', undefined, true, direct],
    ['model', '*', undefined, false, { ...subject, target: null }],
    ['config', 'cfg-a', undefined, true],
    ['config', 'cfg-1', undefined, true],
    ['config', 'cfg-*', undefined, true],
    ['config', '*', undefined, false, { ...subject, config: null }],
    ['prompt', '*', undefined, false],
    ['endpoint_type', ['embed', 'chatComplete'], undefined, true],
    ['endpoint_type', '*', 'chatComplete', false],
    ['endpoint_type', 'uploadFile', undefined, true, { ...subject, endpoint: 'createFile' }],
  ]
  for (const [key, value, excludes, expected, given = subject] of rows) {
    const besides = excludes === undefined ? '' : ` without ${JSON.stringify(excludes)}`
    const of =
      given === subject ? '' : given === direct ? ', of a credential of the caller’s' : ', of another request'
    it(`${key} ${JSON.stringify(value)}${besides}${of} ${expected ? 'matches' : 'does not match'}`, () => {
      expect(holds(key, value, { excludes, given })).to.equal(expected)
    })
  }

  it('applies only together with all other conditions of the policy', () => {
    const both = (second: string) =>
      compilePolicy(
        {
          conditions: [
            { key: 'model', value: '*' },
            { key: 'metadata._user', value: second },
          ],
          group_by: [{ key: 'api_key' }],
        },
        limit,
        null,
      ).match(subject)
    expect([both('ann'), both('bob')]).to.deep.equal(['api_key:key-1', null])
  })
})

describe('the value key of a policy', () => {
  const keyOf = (groups: string[], given: PolicySubject) =>
    compilePolicy(
      { conditions: [{ key: 'endpoint_type', value: '*' }], group_by: groups.map((key) => ({ key })) },
      limit,
      null,
    ).match(given)

  const rows: [groups: string[], given: PolicySubject, expected: string | null][] = [
    [['api_key', 'model'], subject, 'api_key:key-1-model:@prod/big-4'],
    [['model', 'api_key'], subject, 'model:@prod/big-4-api_key:key-1'],
    [['model'], direct, 'model:big-4'],
    [['metadata._user'], subject, 'metadata._user:ann'],
    [['workspace_id', 'provider'], subject, 'workspace_id:ws-1-provider:prod'],
    [['provider'], direct, 'provider:acme'],
    [['virtual_key'], direct, null],
    [['metadata.none'], subject, null],
    [['endpoint_type', 'config'], subject, 'endpoint_type:chatComplete-config:cfg-a'],
  ]
  for (const [groups, given, expected] of rows) {
    it(`of ${groups.join(', ')} is ${expected}`, () => {
      expect(keyOf(groups, given)).to.equal(expected)
    })
  }

  it('is short in a counter key, and distinguishes long values', () => {
    const long = 'x'.repeat(5000)
    const keys = [`${long}a`, `${long}b`].map((valueKey) => policyCounterKey('usage:o', valueKey))
    expect(keys[0]).to.not.equal(keys[1])
    for (const key of keys) expect(key.length).to.be.below(600)
  })
})

describe('a policy', () => {
  const text = fastCheck.string({ maxLength: 8 })

  it('matches metadata by the prefix before a final *, and by nothing shorter', () => {
    fastCheck.assert(
      fastCheck.property(text, text, (prefix, value) => {
        const given = { ...subject, metadata: { a: value } }
        const expected = value.startsWith(prefix)
        expect(holds('metadata.a', `${prefix}*`, { excludes: undefined, given })).to.equal(expected)
      }),
    )
  })

  it('matches its conditions minus its exclusions', () => {
    const values = fastCheck.array(fastCheck.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
    fastCheck.assert(
      fastCheck.property(values, values, fastCheck.constantFrom('a', 'b', 'c'), (wanted, unwanted, value) => {
        const given = { ...subject, metadata: { a: value } }
        const expected = wanted.includes(value) && !unwanted.includes(value)
        expect(holds('metadata.a', wanted, { excludes: unwanted, given })).to.equal(expected)
      }),
    )
  })

  it('is evaluated before a target is chosen, unless it names one', () => {
    const ofTarget = (key: string, group: string) =>
      compilePolicy({ conditions: [{ key, value: '*' }], group_by: [{ key: group }] }, limit, null).ofTarget
    expect([
      ofTarget('api_key', 'metadata._user'),
      ofTarget('model', 'api_key'),
      ofTarget('api_key', 'provider'),
      ofTarget('virtual_key', 'api_key'),
    ]).to.deep.equal([false, true, true, true])
  })
})
