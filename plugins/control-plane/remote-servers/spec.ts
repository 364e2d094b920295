/** A protocol package's description of its integrations and servers. */
import type { RemoteIntegrationData, RemoteServerData } from '@gateway/domain'
import type { TSchema } from '@sinclair/typebox'
import type { Call, ExtraRoute, Field, Write } from '../engine/index.ts'
import type { ConfigurationRules } from './configurations.ts'
import type { Integration, RemoteKind, Server } from './data.ts'

export interface IntegrationSpec {
  kind: RemoteKind
  /** The value of `object` in answers: `mcp-integration`. */
  object: string
  title: string
  tag: string
  operation: string
  path: string
  /** The family in scopes: `mcp_integrations`. */
  family: string
  serverKind: 'mcp_server' | 'agent_server'
  /** The name of a server in messages. */
  serverTitle: string
  authTypes: readonly RemoteIntegrationData['auth_type'][]
  configurations: TSchema
  fields: Readonly<Record<string, Field>>
  checkConfigurations?: ConfigurationRules['check']
  /** Runs after each write that may have changed the capabilities of the upstream. */
  after?(write: Write<RemoteIntegrationData>, stored: Integration): void | Promise<void>
  /** Archives documents that belong to an integration, and does other work before the integration is archived. */
  archive?(write: Write<RemoteIntegrationData>): Promise<void>
  routes: readonly ExtraRoute<RemoteIntegrationData, 'checkUrl'>[]
}

export interface ServerSpec {
  kind: 'mcp_server' | 'agent_server'
  /** The value of `object` in answers: `mcp-server`. */
  object: string
  title: string
  tag: string
  operation: string
  path: string
  family: string
  integrationKind: RemoteKind
  integrationTitle: string
  /** `mcp_integration_id`. */
  integrationField: 'mcp_integration_id' | 'agent_integration_id'
  /** Scopes of the routes of users, if they have a separate family: `agent_server_user_access`. */
  userAccessFamily: string | null
  /** The URL at the gateway for clients. */
  urlOf(publicUrl: string, slug: string): string
  /** The status of a user's connection to an upstream. */
  connectionStatus?(
    server: Server,
    userIds: readonly string[],
    call: Call,
  ): Promise<ReadonlyMap<string, string>>
  /** Runs before the server is archived. */
  archive?(write: Write<RemoteServerData>): Promise<void>
  routes: readonly ExtraRoute<RemoteServerData>[]
}
