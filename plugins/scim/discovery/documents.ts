/**
 * The documents with which clients discover the service: https://www.rfc-editor.org/rfc/rfc7643#section-5, sections 6
 * and 7
 */
import type { JsonObject } from '@gateway/contract'
import type { Attribute, ResourceSchema, ResourceType } from '../protocol/attribute.ts'
import { maxCount } from '../protocol/paging.ts'

const schemaUrn = 'urn:ietf:params:scim:schemas:core:2.0:Schema'
const resourceTypeUrn = 'urn:ietf:params:scim:schemas:core:2.0:ResourceType'
const configUrn = 'urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'

type Locate = (path: string) => string

export const providerConfig = (locate: Locate): JsonObject => ({
  schemas: [configUrn],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxCount },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'OAuth Bearer Token',
      description: 'A SCIM token of the gateway in the authorization header.',
      specUri: 'https://www.rfc-editor.org/rfc/rfc6750',
      primary: true,
    },
  ],
  meta: { resourceType: 'ServiceProviderConfig', location: locate('/ServiceProviderConfig') },
})

export const resourceTypeDocument = (type: ResourceType, locate: Locate): JsonObject => ({
  schemas: [resourceTypeUrn],
  id: type.name,
  name: type.name,
  endpoint: type.path,
  description: type.description,
  schema: type.schema.id,
  schemaExtensions: type.extensions.map(({ id }) => ({ schema: id, required: false })),
  meta: { resourceType: 'ResourceType', location: locate(`/ResourceTypes/${type.name}`) },
})

export const schemaDocument = (schema: ResourceSchema, locate: Locate): JsonObject => ({
  schemas: [schemaUrn],
  id: schema.id,
  name: schema.name,
  description: schema.description,
  attributes: schema.attributes.map(attributeDocument),
  meta: { resourceType: 'Schema', location: locate(`/Schemas/${schema.id}`) },
})

function attributeDocument(attribute: Attribute): JsonObject {
  const { name, type, description, canonicalValues, referenceTypes, parts } = attribute
  return {
    name,
    type,
    multiValued: attribute.isMultiValued === true,
    description,
    required: attribute.isRequired === true,
    ...(type === 'complex' || type === 'boolean' ? {} : { caseExact: attribute.isCaseExact === true }),
    mutability:
      attribute.isReadOnly === true ? 'readOnly' : attribute.isWriteOnly === true ? 'writeOnly' : 'readWrite',
    returned: attribute.isWriteOnly === true ? 'never' : 'default',
    uniqueness: attribute.isUnique === true ? 'server' : 'none',
    ...(canonicalValues === undefined || canonicalValues.length === 0
      ? {}
      : { canonicalValues: [...canonicalValues] }),
    ...(referenceTypes === undefined ? {} : { referenceTypes: [...referenceTypes] }),
    ...(parts === undefined ? {} : { subAttributes: parts.map(attributeDocument) }),
  }
}
