/** A protocol package's description of its integrations and servers. */
import type { RemoteIntegrationData, RemoteServerData } from '@gateway/core/domain'
import type { TSchema } from '@sinclair/typebox'
import type { Call, ExtraRoute, Field, Write } from '../engine/index.ts'
import type { ConfigurationRules } from './configurations.ts'
import type { Integration, RemoteKind, Server } from './data.ts'

export interface IntegrationSpec {
  kind: RemoteKind
  /** On the wire: `mcp-integration`. */
  object: string
  title: string
  tag: string
  operation: string
  path: string
  /** Of the scopes: `mcp_integrations`. */
  family: string
  serverKind: 'mcp_server' | 'agent_server'
  /** How messages call a server. */
  serverTitle: string
  authTypes: readonly RemoteIntegrationData['auth_type'][]
  configurations: TSchema
  fields: Readonly<Record<string, Field>>
  checkConfigurations?: ConfigurationRules['check']
  /** Behind each write that may have changed what the upstream offers. */
  after?(write: Write<RemoteIntegrationData>, stored: Integration): void | Promise<void>
  /** Documents that go with an integration that is archived, and other work before it. */
  archive?(write: Write<RemoteIntegrationData>): Promise<void>
  routes: readonly ExtraRoute<RemoteIntegrationData>[]
}

export interface ServerSpec {
  kind: 'mcp_server' | 'agent_server'
  /** On the wire: `mcp-server`. */
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
  /** Scopes of the routes of users, where they are a family of their own: `agent_server_user_access`. */
  userAccessFamily: string | null
  /** Of the gateway: where clients call it. */
  urlOf(publicUrl: string, slug: string): string
  /** A person's connection to an upstream. */
  connectionStatus?(
    server: Server,
    userIds: readonly string[],
    call: Call,
  ): Promise<ReadonlyMap<string, string>>
  /** Before it is archived. */
  archive?(write: Write<RemoteServerData>): Promise<void>
  routes: readonly ExtraRoute<RemoteServerData>[]
}
