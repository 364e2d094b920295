/** The data type of each document kind. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import type { ManagedKeyData, UseData, UserKeyCountData } from './api-keys.ts'
import type { ConfigData, GuardrailData, PluginSettingsData, VersionData } from './configs.ts'
import type {
  IntegrationAccessData,
  IntegrationData,
  ProviderData,
  SecretReferenceData,
} from './integrations.ts'
import type { kinds } from './kinds.ts'
import type { MailData } from './mail.ts'
import type { OrganisationData, WorkspaceData } from './organisations.ts'
import type { InviteData, MemberData, SessionData, UserData } from './people.ts'
import type { RateLimitPolicyData, UsageLimitEntityData, UsageLimitPolicyData } from './policies.ts'
import type { CollectionData, PromptData, PromptLabelData, PromptPartialData } from './prompts.ts'
import type { McpCatalogueData, RemoteIntegrationData, RemoteServerData } from './remote-servers.ts'
import type { ScimGroupData, ScimGroupMemberData, ScimMappingData, ScimTokenData } from './scim.ts'
import type { Authored } from './shared.ts'
import type { WebhookData, WebhookDeliveryData, WebhookFailuresData, WebhookFloodData } from './webhooks.ts'

type Kinds = typeof kinds
type VersionKind = Kinds['configVersion' | 'guardrailVersion' | 'promptVersion' | 'promptPartialVersion']

/**
 * The `data` of each kind. A service package adds its kinds by declaration merging:
 * `declare module '@gateway/domain' { interface DocumentDataByKind { widget: WidgetData } }`.
 */
export interface DocumentDataByKind
  extends Record<Kinds['organisation'], OrganisationData>,
    Record<Kinds['workspace'], WorkspaceData>,
    Record<Kinds['user'], UserData>,
    Record<Kinds['member'], MemberData>,
    Record<Kinds['invite'], InviteData>,
    Record<Kinds['session'], SessionData>,
    Record<Kinds['apiKey'], ManagedKeyData>,
    Record<Kinds['userKeyCount'], UserKeyCountData>,
    Record<Kinds['use'], UseData>,
    Record<Kinds['integration'], IntegrationData>,
    Record<Kinds['integrationAccess'], IntegrationAccessData>,
    Record<Kinds['provider'], ProviderData>,
    Record<Kinds['secretReference'], SecretReferenceData>,
    Record<Kinds['mcpIntegration'] | Kinds['agentIntegration'], RemoteIntegrationData>,
    Record<Kinds['mcpServer'] | Kinds['agentServer'], RemoteServerData>,
    Record<Kinds['mcpCatalogue'], McpCatalogueData>,
    Record<Kinds['config'], ConfigData>,
    Record<VersionKind, VersionData>,
    Record<Kinds['guardrail'], GuardrailData>,
    Record<Kinds['pluginSettings'], PluginSettingsData>,
    Record<Kinds['prompt'], PromptData>,
    Record<Kinds['promptPartial'], PromptPartialData>,
    Record<Kinds['promptLabel'], PromptLabelData>,
    Record<Kinds['collection'], CollectionData>,
    Record<Kinds['rateLimitPolicy'], RateLimitPolicyData>,
    Record<Kinds['usageLimitPolicy'], UsageLimitPolicyData>,
    Record<Kinds['usageLimitEntity'], UsageLimitEntityData>,
    Record<Kinds['scimToken'], ScimTokenData>,
    Record<Kinds['scimGroup'], ScimGroupData>,
    Record<Kinds['scimGroupMember'], ScimGroupMemberData>,
    Record<Kinds['scimMapping'], ScimMappingData>,
    Record<Kinds['webhook'], WebhookData>,
    Record<Kinds['webhookDelivery'], WebhookDeliveryData>,
    Record<Kinds['webhookFailures'], WebhookFailuresData>,
    Record<Kinds['webhookFlood'], WebhookFloodData>,
    Record<Kinds['mail'], MailData> {}

/** The `data` of a kind; a JSON object for kinds known only at run time. */
export type DataOf<Kind extends string | null> = Kind extends keyof DocumentDataByKind
  ? DocumentDataByKind[Kind] & Authored
  : JsonObject

/** A stored document of a kind. */
export type DocumentOf<Kind extends string | null> = StoredDocument<DataOf<Kind>>
