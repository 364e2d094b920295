/** A subject of the management API: a folder next to the engine, imported through its `index.ts`. */
import type { Job, Route, ServiceContext } from '@gateway/contract'
import type { Resource } from './resource.ts'

export interface Subject {
  /** One whose path the `/:id` of another would match is listed before it. */
  resources?: readonly Resource[]
  /** Routes that belong to no resource. */
  routes?: readonly ((context: ServiceContext) => Route[])[]
  /** Work that runs again and again, on one process at a time. */
  jobs?: readonly ((context: ServiceContext) => Job)[]
}
