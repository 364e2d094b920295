/** Descriptions of attributes: https://www.rfc-editor.org/rfc/rfc7643#section-7 */

export interface Attribute {
  name: string
  type: 'string' | 'boolean' | 'complex' | 'reference' | 'binary' | 'dateTime'
  description: string
  isMultiValued?: boolean
  isRequired?: boolean
  isCaseExact?: boolean
  isReadOnly?: boolean
  /** Accepted, but neither stored nor returned. */
  isWriteOnly?: boolean
  isUnique?: boolean
  isAlwaysReturned?: boolean
  canonicalValues?: readonly string[]
  referenceTypes?: readonly string[]
  /** The parts of a complex attribute. */
  parts?: readonly Attribute[]
}

export interface ResourceSchema {
  id: string
  name: string
  description: string
  attributes: readonly Attribute[]
}

/** The attributes of an endpoint's resources. */
export interface ResourceType {
  name: 'User' | 'Group'
  path: '/Users' | '/Groups'
  description: string
  schema: ResourceSchema
  extensions: readonly ResourceSchema[]
}

/** An attribute by its name in any letter case. */
export const attributeNamed = (attributes: readonly Attribute[], name: string): Attribute | null =>
  attributes.find((one) => one.name.toLowerCase() === name.toLowerCase()) ?? null
