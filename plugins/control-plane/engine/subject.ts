/** A subject of the management API: a folder next to the engine, imported through its `index.ts`. */
import type { Job, Route, ServiceContext } from '@gateway/contract'
import type { Resource } from './resource.ts'

export interface Subject {
  /** A resource whose path the `/:id` of another would match must be listed before it. */
  resources?: readonly Resource[]
  /** Routes that belong to no resource. */
  routes?: readonly ((context: ServiceContext) => Route[])[]
  /** Periodic work that runs in one process at a time. */
  jobs?: readonly ((context: ServiceContext) => Job)[]
}
