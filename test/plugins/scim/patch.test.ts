/** Operations of PATCH as pure functions: every form of a path, and refusals. */
import { expect } from 'chai'
import fc from 'fast-check'
import { applyOperations } from '#scim/patch/apply-operations'
import { readOperations } from '#scim/patch/operations'
import { userType } from '#scim/protocol/user-schema'
import { assertProperty } from '../../support/assert-property.ts'
import { enterpriseUrn, patchUrn, userUrn } from '../../support/scim.ts'

const resource = () => ({
  userName: 'a@example.com',
  active: true,
  name: { givenName: 'A', familyName: 'B' },
  emails: [
    { value: 'work@example.com', type: 'work', primary: true },
    { value: 'home@example.com', type: 'home' },
  ],
})

const urns = [userUrn, enterpriseUrn]
const apply = (...operations: object[]) => {
  const before = resource()
  const body = JSON.parse(JSON.stringify({ schemas: [patchUrn], Operations: operations }))
  const after = applyOperations(userType, before, readOperations(body, urns))
  expect(before, 'the resource that was given').to.deep.equal(resource())
  return after
}
const faultOf = (run: () => unknown): unknown => {
  try {
    run()
  } catch (error) {
    return (error as { scimType?: string }).scimType ?? error
  }
  return null
}

describe('SCIM PATCH operations', () => {
  const cases: [string, object[], Record<string, unknown>][] = [
    ['replace an attribute', [{ op: 'replace', path: 'title', value: 'T' }], { title: 'T' }],
    ['take operators in any case', [{ op: 'REPLACE', path: 'TITLE', value: 'T' }], { title: 'T' }],
    ['take the schema before a path', [{ op: 'add', path: `${userUrn}:title`, value: 'T' }], { title: 'T' }],
    [
      'replace a part',
      [{ op: 'replace', path: 'name.givenName', value: 'X' }],
      { name: { givenName: 'X', familyName: 'B' } },
    ],
    [
      'lay an object over another',
      [{ op: 'replace', path: 'name', value: { givenName: 'X' } }],
      { name: { givenName: 'X', familyName: 'B' } },
    ],
    ['remove a part', [{ op: 'remove', path: 'name.familyName' }], { name: { givenName: 'A' } }],
    [
      'take null as nothing',
      [{ op: 'replace', path: 'name.familyName', value: null }],
      { name: { givenName: 'A' } },
    ],
    [
      'take dotted names within a value',
      [
        {
          op: 'replace',
          value: { 'name.givenName': 'X', 'emails[type eq "home"].value': 'h@example.com', title: 'T' },
        },
      ],
      {
        name: { givenName: 'X', familyName: 'B' },
        title: 'T',
        emails: [
          { value: 'work@example.com', type: 'work', primary: true },
          { value: 'h@example.com', type: 'home' },
        ],
      },
    ],
    [
      'make an item that the filter chooses where none is there',
      [{ op: 'add', path: 'emails[type eq "other"].value', value: 'o@example.com' }],
      { emails: [...resource().emails, { type: 'other', value: 'o@example.com' }] },
    ],
    [
      'make it of an "and" of equalities, flags as booleans',
      [{ op: 'replace', path: 'phoneNumbers[type eq "work" and primary eq "True"].value', value: '1' }],
      { phoneNumbers: [{ type: 'work', primary: true, value: '1' }] },
    ],
    [
      'replace items that the filter chooses',
      [{ op: 'replace', path: 'emails[type eq "work"]', value: { value: 'new@example.com' } }],
      { emails: [{ value: 'new@example.com', type: 'work', primary: true }, resource().emails[1]] },
    ],
    [
      'remove items that the filter chooses',
      [{ op: 'remove', path: 'emails[type eq "home"]' }],
      { emails: [resource().emails[0]] },
    ],
    [
      'remove items that the value names',
      [{ op: 'remove', path: 'emails', value: [{ value: 'HOME@example.com', $ref: null }] }],
      { emails: [resource().emails[0]] },
    ],
    [
      'add an item, which takes over being primary',
      [{ op: 'add', path: 'emails', value: { value: 'p@example.com', primary: 'true' } }],
      {
        emails: [
          { value: 'work@example.com', type: 'work', primary: false },
          resource().emails[1],
          { value: 'p@example.com', primary: true },
        ],
      },
    ],
    [
      'add an item that is there, once',
      [{ op: 'add', path: 'emails', value: [{ value: 'home@example.com', type: 'home' }] }],
      { emails: resource().emails },
    ],
    [
      'replace a list',
      [{ op: 'replace', path: 'emails', value: [{ value: 'x@example.com' }] }],
      { emails: [{ value: 'x@example.com' }] },
    ],
    [
      'keep attributes of an extension',
      [{ op: 'add', path: `${enterpriseUrn}:costCenter`, value: 7 }],
      { [enterpriseUrn]: { costCenter: '7' } },
    ],
    [
      'take an extension as an object',
      [{ op: 'add', value: { [enterpriseUrn]: { division: 'D' } } }],
      { [enterpriseUrn]: { division: 'D' } },
    ],
    [
      'take an extension as a path',
      [{ op: 'add', path: enterpriseUrn, value: { manager: { value: 'm', $ref: null } } }],
      { [enterpriseUrn]: { manager: { value: 'm' } } },
    ],
    [
      'pass over what no schema knows',
      [
        { op: 'add', path: 'nothing.known', value: 1 },
        { op: 'add', value: { other: 1 } },
      ],
      {},
    ],
    [
      'pass over id and meta in a value',
      [{ op: 'replace', value: { id: 'x', meta: {}, schemas: [], groups: [], title: 'T' } }],
      { title: 'T' },
    ],
    ['forget passwords', [{ op: 'replace', path: 'password', value: 'secret' }], {}],
    ['take "False" for a flag', [{ op: 'Replace', path: 'active', value: 'False' }], { active: false }],
  ]
  for (const [title, operations, changes] of cases) {
    it(title, () => {
      expect(apply(...operations)).to.deep.equal({ ...resource(), ...changes })
    })
  }

  it('remove the last value together with its attribute', () => {
    expect(apply({ op: 'remove', path: 'emails' })).not.to.have.property('emails')
    expect(apply({ op: 'remove', path: 'emails[value co "@"]' })).not.to.have.property('emails')
  })

  const refused: [string, unknown, string][] = [
    ['no operations', [], 'invalidSyntax'],
    ['an unknown operator', [{ op: 'move', path: 'title', value: 'x' }], 'invalidSyntax'],
    ['no operator', [{ path: 'title', value: 'x' }], 'invalidSyntax'],
    ['an operation that is not an object', ['replace'], 'invalidSyntax'],
    ['a value without a path that is not an object', [{ op: 'add', value: 'x' }], 'invalidSyntax'],
    ['remove without a path', [{ op: 'remove' }], 'noTarget'],
    ['a path that cannot be read', [{ op: 'add', path: 'emails[type eq', value: 'x' }], 'invalidPath'],
    ['a path of three parts', [{ op: 'add', path: 'name.a.b', value: 'x' }], 'invalidPath'],
    ['an empty part', [{ op: 'add', path: 'name.', value: 'x' }], 'invalidPath'],
    ['a path that is not a string', [{ op: 'add', path: 7, value: 'x' }], 'invalidPath'],
    [
      'a filter on a member that is not a list',
      [{ op: 'add', path: 'name[givenName eq "A"].familyName', value: 'x' }],
      'invalidPath',
    ],
    [
      'a filter without a match or a value',
      [{ op: 'replace', path: 'emails[value co "zzz"].type', value: 'x' }],
      'noTarget',
    ],
    ['the id by a path', [{ op: 'replace', path: 'id', value: 'x' }], 'mutability'],
    ['groups by a path', [{ op: 'add', path: 'groups', value: [{ value: 'x' }] }], 'mutability'],
    ['an invalid flag', [{ op: 'replace', path: 'active', value: 'maybe' }], 'invalidValue'],
    ['too many operations', Array.from({ length: 1001 }, () => ({ op: 'remove', path: 'title' })), 'tooMany'],
  ]
  for (const [title, operations, scimType] of refused) {
    it(`refuse ${title}`, () => {
      expect(faultOf(() => apply(...(operations as object[])))).to.equal(scimType)
    })
  }

  it('return a resource or an error, for any input', async () => {
    const operation = fc.record(
      {
        op: fc.constantFrom('add', 'Replace', 'remove', 'x'),
        path: fc.oneof(
          fc.string(),
          fc.constantFrom('emails', 'emails[type eq "work"].value', 'name.givenName', 'name'),
        ),
        value: fc.jsonValue(),
      },
      { requiredKeys: ['op'] },
    )
    await assertProperty(
      fc.property(fc.array(operation, { maxLength: 4 }), (operations) => {
        const fault = faultOf(() => apply(...operations))
        expect(fault === null || typeof fault === 'string', String(fault)).to.equal(true)
      }),
    )
  })
})
