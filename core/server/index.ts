/**
 * Serves requests and services: the Koa application, routes, WebSockets and TLS certificates; the routes, jobs and
 * capabilities of services; requests that run inside the process (of services, dry runs, shadows). The listeners are
 * in `boot`.
 */
export { createApp, readHead } from './app.ts'
export { type CapabilityOptions, createCapabilities } from './capabilities.ts'
export { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts'
export { clientAddress, isProxy } from './client-address.ts'
export { answerClientError, answerWhatNodeRefuses } from './client-error.ts'
export { createConnectionLimit } from './connection-limit.ts'
export { createMetricsRoute } from './health.ts'
export { runInference } from './in-process/run-inference.ts'
export { createShadows } from './in-process/shadows.ts'
export { useSingleThreadScavenges } from './node/single-thread-scavenges.ts'
export { stopListening } from './node/stop-listening.ts'
export { planInference } from './plan/plan-call.ts'
export { createNoRoutes, createRoutes, type Routes } from './routes.ts'
export type { ServerRuntime } from './server-runtime.ts'
export { openServices, runJobs, type Services } from './services.ts'
export { type SessionEnds, takeUpgrades } from './sockets/upgrade.ts'
export { createTlsReload, type TlsReload } from './tls-reload.ts'
