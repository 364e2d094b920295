/** A subject of the management API: a folder next to the engine, imported through its `index.ts`. */
import type { Capability, Job, JsonObject, Route } from '@gateway/contract'
import type { ManagementContext } from './call.ts'
import type { Resource } from './resource.ts'

/** `Need`: the capabilities that it uses in addition to those of the engine. */
export interface Subject<Need extends Capability> {
  needs: readonly Need[]
  /** A resource must be listed before another one whose `/:id` would match its path. */
  resources?: readonly Resource<JsonObject, Need>[]
  /** Routes that belong to no resource. */
  routes?: readonly ((context: ManagementContext<Need>) => Route[])[]
  /** Periodic work that runs in one process at a time. */
  jobs?: readonly ((context: ManagementContext<Need>) => Job)[]
}

/** Declares a subject: its routes and jobs get the capabilities in `needs`, and those of the engine. */
export function defineSubject<const Need extends Capability>(subject: Subject<Need>): Subject<Need> {
  return subject
}
