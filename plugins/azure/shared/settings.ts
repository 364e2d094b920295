/**
 * `plugins.settings.azure`: the resource, and the gateway's credential. `contentSafety` and `pii` contain the
 * differences if the two services are separate resources.
 */
import { isObject, type JsonObject, type PluginIdentity } from '@gateway/contract'
import { address, secret } from '@gateway/plugin-kit'
import { Type } from '@sinclair/typebox'

const members = {
  resourceName: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9-]+$', description: 'Its address begins with this name.' }),
  ),
  baseUrl: address(
    'Default: https://NAME.cognitiveservices.azure.com. Set it for another cloud or a private endpoint.',
  ),
  azureAuthMode: Type.Optional(
    Type.Unsafe<'apiKey' | 'entra' | 'managed'>({
      type: 'string',
      enum: ['apiKey', 'entra', 'managed'],
      default: 'apiKey',
      description: 'By key, as an application of Entra ID, or by the identity of the machine.',
    }),
  ),
  apiKey: secret('A key of the resource.'),
  tenantId: Type.Optional(
    Type.String({ pattern: '^[A-Za-z0-9.-]+$', description: 'entra: the directory of the application.' }),
  ),
  clientId: Type.Optional(
    Type.String({ minLength: 1, description: 'entra: the application. managed: a user-assigned identity.' }),
  ),
  clientSecret: Type.Optional(Type.String({ minLength: 1, description: 'entra: its secret.' })),
  authorityUrl: address('Default: https://login.microsoftonline.com.'),
}

const closed = { additionalProperties: false }

export const settings = Type.Object(
  {
    ...members,
    contentSafety: Type.Optional(
      Type.Object(members, { ...closed, description: 'For contentSafety, shieldPrompt, protectedMaterial.' }),
    ),
    pii: Type.Optional(Type.Object(members, { ...closed, description: 'For pii.' })),
  },
  closed,
)

const services = ['contentSafety', 'pii'] as const

/** The members that may differ between services. */
export type Service = (typeof services)[number]

/** The settings of one service: its own take precedence over those of both. */
export function settingsOf(service: Service, settings: Readonly<JsonObject>): JsonObject {
  const special = settings[service]
  return isObject(special) ? { ...settings, ...special } : { ...settings }
}

/**
 * Tokens of the machine are sent only to the vendor's AI services, in the public and the sovereign clouds.
 * Reference: https://learn.microsoft.com/azure/ai-services/cognitive-services-virtual-networks
 */
export const ownIdentity: PluginIdentity = {
  hosts: /^(?:[a-z0-9-]+\.){1,3}(?:cognitiveservices\.azure|services\.ai\.azure)\.(?:com|us|cn)$/,
  addresses: (settings) => {
    const own = services.flatMap((service) => {
      const { azureAuthMode, baseUrl } = settingsOf(service, settings)
      if (azureAuthMode !== 'managed' || typeof baseUrl !== 'string') return []
      const special = settings[service]
      const isOwn = isObject(special) && special.baseUrl !== undefined
      return [{ param: isOwn ? `/${service}/baseUrl` : '/baseUrl', url: baseUrl }]
    })
    return own.filter(({ param }, index) => own.findIndex((other) => other.param === param) === index)
  },
}
