/**
 * Shared by MCP servers and agents: integrations (an upstream, its credential, the workspaces that may use it) and the
 * servers that workspaces create from them. The packages of the two protocols declare their resources with it and
 * import only this file.
 */
export { type ClearConfigurations, createClearConfigurations, customHeaders } from './clear-configurations.ts'
export { headerFaults } from './configurations.ts'
export { type Integration, integrationIdOf, integrationOf, isUsable, mayUse, type Server } from './data.ts'
export { createRemoteDirectory, type RemoteDirectory, type RemotePlace } from './directory.ts'
export { forwardedHeaders } from './forwarded.ts'
export { remoteIntegration } from './integration.ts'
export { customHeadersSchema, forwardHeadersSchema, headerName, timeoutSchema } from './schemas.ts'
export { remoteServer } from './server.ts'
export { commitSwitches } from './switches.ts'
