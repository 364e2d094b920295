/** Groups: https://www.rfc-editor.org/rfc/rfc7643#section-4.2 */
import type { ResourceType } from './attribute.ts'

export const groupType: ResourceType = {
  name: 'Group',
  path: '/Groups',
  description: 'Groups of users, which grant roles in workspaces.',
  extensions: [],
  schema: {
    id: 'urn:ietf:params:scim:schemas:core:2.0:Group',
    name: 'Group',
    description: 'A group of users.',
    attributes: [
      {
        name: 'displayName',
        type: 'string',
        description: 'The name, unique, ignoring case.',
        isRequired: true,
        isUnique: true,
      },
      {
        name: 'externalId',
        type: 'string',
        description: 'The id that the identity provider has assigned.',
        isCaseExact: true,
      },
      {
        name: 'members',
        type: 'complex',
        description: 'The users in the group.',
        isMultiValued: true,
        parts: [
          { name: 'value', type: 'string', description: 'The id of the user.', isCaseExact: true },
          {
            name: '$ref',
            type: 'reference',
            description: 'The URL of the user.',
            referenceTypes: ['User'],
          },
          { name: 'type', type: 'string', description: 'The type of the member.', canonicalValues: ['User'] },
          { name: 'display', type: 'string', description: 'The name of the user.' },
        ],
      },
    ],
  },
}
