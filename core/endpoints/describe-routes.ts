/** Every route that is served: those of the core, and those of the services. For the OpenAPI document. */
import type { Route } from '@gateway/contract'
import { coreRoutes } from './openapi.ts'

export function describeRoutes(services: readonly Route[]): Omit<Route, 'handle'>[] {
  return [...coreRoutes, ...services.map(({ handle: _, ...route }) => route)]
}
