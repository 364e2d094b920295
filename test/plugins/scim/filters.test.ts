/** Filters, pages and searches of SCIM lists, on the store that the run is for. */
import { expect } from 'chai'
import fc from 'fast-check'
import { parseFilter } from '#scim/filter/parse-filter'
import { assertProperty } from '../../support/assert-property.ts'
import { errorUrn, listUrn, openScim } from '../../support/scim.ts'

describe('SCIM filters', () => {
  const scim = openScim()
  const ids: Record<string, string> = {}
  const before2020 = '2020-01-01T00:00:00Z'

  before(async () => {
    ids.ada = await scim.user('ada@example.com', {
      externalId: 'Ext-A',
      displayName: 'Ada Lovelace',
      emails: [
        { value: 'ada@example.com', type: 'work', primary: true },
        { value: 'ada@home.example', type: 'home' },
      ],
    })
    ids.bob = await scim.user('bob@example.org', { externalId: 'Ext-B', displayName: 'Bob "the" \\Builder' })
    ids.cyd = await scim.user('cyd@example.com', { active: false, displayName: 'Cyd 100%_' })
    ids.admins = await scim.group('Administrators', [ids.ada ?? '', ids.bob ?? ''])
    ids.empty = await scim.group('Nobody')
  })

  const cases: [string, string][] = [
    ['userName eq "ADA@example.com"', 'ada'],
    ['userName ne "ada@example.com"', 'bob cyd'],
    ['userName co "EXAMPLE.ORG"', 'bob'],
    ['userName sw "a"', 'ada'],
    ['userName ew ".com"', 'ada cyd'],
    ['userName pr', 'ada bob cyd'],
    ['userName gt "bob@example.org"', 'cyd'],
    ['userName ge "bob@example.org"', 'bob cyd'],
    ['userName lt "bob@example.org"', 'ada'],
    ['userName le "bob@example.org"', 'ada bob'],
    ['urn:ietf:params:scim:schemas:core:2.0:User:userName eq "bob@example.org"', 'bob'],
    ['externalId eq "Ext-A"', 'ada'],
    ['externalId eq "ext-a"', ''],
    ['externalId co "xt-"', 'ada bob'],
    ['externalId pr', 'ada bob'],
    ['not (externalId pr)', 'cyd'],
    ['externalId eq null', 'cyd'],
    ['externalId ne null', 'ada bob'],
    ['displayName eq "bob \\"the\\" \\\\builder"', 'bob'],
    ['displayName co "%_"', 'cyd'],
    ['displayName sw ""', 'ada bob cyd'],
    ['active eq true', 'ada bob'],
    ['active eq "False"', 'cyd'],
    ['active ne true', 'cyd'],
    ['active pr', 'ada bob cyd'],
    ['emails.value eq "ada@home.example"', 'ada'],
    ['emails co "@example.org"', 'bob'],
    ['emails[type eq "work"].value eq "ada@example.com"', 'ada'],
    ['emails[type eq "home"].value eq "ada@example.com"', ''],
    ['emails[type eq "home" and value ew "home.example"]', 'ada'],
    ['emails[primary eq true].value sw "ada"', 'ada'],
    ['emails[type eq "home"]', 'ada'],
    [`meta.lastModified gt "${before2020}"`, 'ada bob cyd'],
    [`meta.created lt "${before2020}"`, ''],
    ['userName eq "ada@example.com" or userName eq "cyd@example.com"', 'ada cyd'],
    ['active eq true and userName ew ".com"', 'ada'],
    ['active eq true and not (userName ew ".com" or externalId eq "none")', 'bob'],
    ['userName sw "a" or userName sw "b" and active eq false', 'ada'],
    ['(userName sw "a" or userName sw "b") and externalId co "B"', 'bob'],
    ['USERNAME EQ "bob@example.org" AND NOT (ACTIVE EQ FALSE)', 'bob'],
  ]
  for (const [filter, expected] of cases) {
    it(`find users by ${filter}`, async () => {
      const found = await scim.find('/Users', filter)
      const names = Object.entries(ids).flatMap(([name, id]) =>
        found.some((one) => one.id === id) ? [name] : [],
      )
      expect(names.join(' ')).to.equal(expected)
    })
  }

  it('find a user by the complete id only', async () => {
    expect(await scim.find('/Users', `id eq "${ids.ada}"`)).to.have.lengthOf(1)
    expect(await scim.find('/Users', `id eq "${ids.ada}" and active eq false`)).to.have.lengthOf(0)
    expect(await scim.find('/Users', `id eq "${ids.ada?.toUpperCase()}"`)).to.have.lengthOf(0)
  })

  const groups: [string, () => string, string][] = [
    ['displayName eq "ADMINISTRATORS"', () => 'displayName eq "ADMINISTRATORS"', 'admins'],
    ['members.value eq', () => `members.value eq "${ids.ada}"`, 'admins'],
    ['members eq', () => `members eq "${ids.bob}"`, 'admins'],
    ['members[value eq]', () => `members[value eq "${ids.bob}"]`, 'admins'],
    ['members of no group', () => `members.value eq "${ids.cyd}"`, ''],
    ['members pr', () => 'members pr', 'admins'],
    ['not (members pr)', () => 'not (members pr)', 'empty'],
    ['members.value sw', () => `members.value sw "${ids.ada?.slice(0, 8)}"`, 'admins'],
    ['externalId eq null', () => 'externalId eq null', 'admins empty'],
  ]
  for (const [title, filter, expected] of groups) {
    it(`find groups by ${title}`, async () => {
      const found = await scim.find('/Groups', filter())
      const names = ['admins', 'empty'].filter((name) => found.some((one) => one.id === ids[name]))
      expect(names.join(' ')).to.equal(expected)
    })
  }

  const refused: [string, string, string][] = [
    ['an unknown attribute', 'nickName eq "x"', 'invalidFilter'],
    ['another schema', 'urn:other:userName eq "x"', 'invalidFilter'],
    ['an unknown operator', 'userName is "x"', 'invalidFilter'],
    ['no operator', 'userName', 'invalidFilter'],
    ['no value', 'userName eq', 'invalidFilter'],
    ['a value without quotes', 'userName eq ada', 'invalidFilter'],
    ['a number', 'userName eq 7', 'invalidFilter'],
    ['an open bracket', '(userName eq "x"', 'invalidFilter'],
    ['a bracket too many', 'userName eq "x")', 'invalidFilter'],
    ['an open text', 'userName eq "x', 'invalidFilter'],
    ['active that is compared by its size', 'active gt true', 'invalidFilter'],
    ['an invalid time', 'meta.lastModified gt "yesterday"', 'invalidFilter'],
    ['a part that is not indexed', 'emails[display eq "x"]', 'invalidFilter'],
    ['21 levels', `${'('.repeat(21)}userName pr${')'.repeat(21)}`, 'invalidFilter'],
    ['more than 4 KiB', `userName eq "${'x'.repeat(4096)}"`, 'tooMany'],
  ]
  for (const [title, filter, scimType] of refused) {
    it(`are refused: ${title}`, async () => {
      const reply = await scim.get(`/Users?filter=${encodeURIComponent(filter)}`)
      expect([reply.status, reply.body.scimType, reply.body.schemas]).to.deep.equal([
        400,
        scimType,
        [errorUrn],
      ])
    })
  }

  it('can be nested twenty levels deep', async () => {
    const filter = `${'('.repeat(20)}userName sw "a"${')'.repeat(20)}`
    expect(await scim.find('/Users', filter)).to.have.lengthOf(1)
  })

  it('are parsed or refused, for any input', async () => {
    const word = fc.constantFrom(
      'userName',
      'eq',
      'and',
      'or',
      'not',
      '(',
      ')',
      '[',
      ']',
      '"x"',
      'true',
      '.value',
      'pr',
      '7',
    )
    const text = fc.oneof(
      fc.string({ maxLength: 60 }),
      fc.array(word, { maxLength: 12 }).map((words) => words.join(' ')),
    )
    await assertProperty(
      fc.property(text, (filter) => {
        try {
          parseFilter(filter)
        } catch (error) {
          expect((error as { scimType?: string }).scimType, String(error)).to.be.a('string')
        }
      }),
    )
  })

  describe('return pages', () => {
    const cases: [query: string, start: number, items: number][] = [
      ['', 1, 3],
      ['?count=2', 1, 2],
      ['?startIndex=3&count=2', 3, 1],
      ['?startIndex=9', 9, 0],
      ['?startIndex=0&count=1', 1, 1],
      ['?startIndex=-5&count=1', 1, 1],
      ['?count=0', 1, 0],
      ['?count=-1', 1, 0],
      ['?count=5000', 1, 3],
    ]
    for (const [query, startIndex, itemsPerPage] of cases) {
      it(`for "${query}"`, async () => {
        const { body } = await scim.get(`/Users${query}`)
        expect(body).to.deep.include({ schemas: [listUrn], totalResults: 3, startIndex, itemsPerPage })
        expect(body.Resources).to.have.lengthOf(itemsPerPage)
      })
    }

    it('in order of creation', async () => {
      const pages = await Promise.all(
        [1, 2, 3].map((start) => scim.get(`/Users?startIndex=${start}&count=1`)),
      )
      const found = pages.flatMap(({ body }) => body.Resources as { id: string }[]).map(({ id }) => id)
      expect(found).to.deep.equal([ids.ada, ids.bob, ids.cyd])
    })

    for (const query of ['?count=many', '?startIndex=1.5']) {
      it(`but not for "${query}"`, async () => {
        const reply = await scim.get(`/Users${query}`)
        expect([reply.status, reply.body.scimType]).to.deep.equal([400, 'invalidValue'])
      })
    }
  })

  it('can be sent in the body of a search', async () => {
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:SearchRequest']
    const search = { schemas, filter: 'active eq true', startIndex: 2, count: 1, attributes: ['userName'] }
    const reply = await scim.post('/Users/.search', search)
    expect(reply.status, reply.text).to.equal(200)
    expect(reply.body).to.deep.include({ totalResults: 2, startIndex: 2, itemsPerPage: 1 })
    const [only] = reply.body.Resources as Record<string, unknown>[]
    expect(Object.keys(only ?? {}).sort()).to.deep.equal(['id', 'schemas', 'userName'])
    const found = await scim.post('/Groups/.search', { schemas, filter: 'displayName sw "admin"' })
    expect(found.body.totalResults).to.equal(1)
    const wrong = await scim.post('/Users/.search', { schemas: ['urn:other'] })
    expect([wrong.status, wrong.body.scimType]).to.deep.equal([400, 'invalidSyntax'])
  })
})
