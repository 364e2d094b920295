/** Users and their enterprise extension: https://www.rfc-editor.org/rfc/rfc7643#section-4.1 */
import type { Attribute, ResourceSchema, ResourceType } from './attribute.ts'

const text = (name: string, description: string, more: Partial<Attribute> = {}): Attribute => ({
  name,
  type: 'string',
  description,
  ...more,
})

const typeOf = (values: readonly string[]) =>
  text('type', 'The type of the value.', { canonicalValues: values })
const primary: Attribute = {
  name: 'primary',
  type: 'boolean',
  description: 'Whether it is the preferred one.',
}

/** A list of values, each with a type. */
const values = (name: string, description: string, types: readonly string[] = []): Attribute => ({
  name,
  type: 'complex',
  description,
  isMultiValued: true,
  parts: [text('value', 'The value.'), text('display', 'The display name.'), typeOf(types), primary],
})

const userSchema: ResourceSchema = {
  id: 'urn:ietf:params:scim:schemas:core:2.0:User',
  name: 'User',
  description: 'A user of the organisation.',
  attributes: [
    text('userName', 'The e-mail address. Another name is accepted if a primary e-mail address is sent.', {
      isRequired: true,
      isUnique: true,
    }),
    text('externalId', 'The id that the identity provider has assigned.', { isCaseExact: true }),
    {
      name: 'name',
      type: 'complex',
      description: 'The parts of the name.',
      parts: [
        text('formatted', 'The full name.'),
        text('familyName', 'The last name.'),
        text('givenName', 'The first name.'),
        text('middleName', 'The middle names.'),
        text('honorificPrefix', 'Such as a title.'),
        text('honorificSuffix', 'Such as III.'),
      ],
    },
    text('displayName', 'The display name.'),
    text('nickName', 'A casual name.'),
    {
      name: 'profileUrl',
      type: 'reference',
      description: 'The URL of the user’s profile page.',
      referenceTypes: ['external'],
    },
    text('title', 'Such as Vice President.'),
    text('userType', 'Such as Contractor.'),
    text('preferredLanguage', 'A language tag as in accept-language.'),
    text('locale', 'Such as en-US.'),
    text('timezone', 'Such as America/Los_Angeles.'),
    { name: 'active', type: 'boolean', description: 'Whether the user may sign in and send requests.' },
    { ...text('password', 'Accepted but ignored: only invites set passwords.'), isWriteOnly: true },
    values('emails', 'E-mail addresses.', ['work', 'home', 'other']),
    values('phoneNumbers', 'Telephone numbers.', ['work', 'home', 'mobile', 'fax', 'pager', 'other']),
    values('ims', 'Addresses of instant messages.'),
    values('photos', 'URLs of pictures.', ['photo', 'thumbnail']),
    {
      name: 'addresses',
      type: 'complex',
      description: 'Postal addresses.',
      isMultiValued: true,
      parts: [
        text('formatted', 'The complete address.'),
        text('streetAddress', 'Street and number.'),
        text('locality', 'The city.'),
        text('region', 'The state.'),
        text('postalCode', 'The postal code.'),
        text('country', 'The country.'),
        typeOf(['work', 'home', 'other']),
        primary,
      ],
    },
    {
      name: 'groups',
      type: 'complex',
      description: 'The groups of the user. Change the groups to change this list.',
      isMultiValued: true,
      isReadOnly: true,
      parts: [
        text('value', 'The id of the group.', { isReadOnly: true }),
        {
          name: '$ref',
          type: 'reference',
          description: 'The URL of the group.',
          isReadOnly: true,
          referenceTypes: ['Group'],
        },
        text('display', 'The name of the group.', { isReadOnly: true }),
        text('type', 'The type of the membership.', { isReadOnly: true, canonicalValues: ['direct'] }),
      ],
    },
    values('entitlements', 'The user’s entitlements.'),
    values('roles', 'The role in the organisation: the highest of owner, admin and member applies.'),
    {
      name: 'x509Certificates',
      type: 'complex',
      description: 'Certificates.',
      isMultiValued: true,
      parts: [
        { name: 'value', type: 'binary', description: 'The certificate in base64.', isCaseExact: true },
        text('display', 'The display name.'),
        typeOf([]),
        primary,
      ],
    },
  ],
}

export const enterpriseUrn = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

const enterpriseSchema: ResourceSchema = {
  id: enterpriseUrn,
  name: 'EnterpriseUser',
  description: 'Enterprise attributes of the user, stored as sent.',
  attributes: [
    text('employeeNumber', 'The employee number.'),
    text('costCenter', 'The cost center.'),
    text('organization', 'The organisation.'),
    text('division', 'The division.'),
    text('department', 'The department.'),
    {
      name: 'manager',
      type: 'complex',
      description: 'The manager of the user.',
      parts: [
        text('value', 'The id of the manager.'),
        {
          name: '$ref',
          type: 'reference',
          description: 'The URL of the manager.',
          referenceTypes: ['User'],
        },
        text('displayName', 'The name of the manager.'),
      ],
    },
  ],
}

export const userType: ResourceType = {
  name: 'User',
  path: '/Users',
  description: 'Users of the organisation.',
  schema: userSchema,
  extensions: [enterpriseSchema],
}
