/** The input and the target of summing a table. */
import type { LogAggregation } from '@gateway/contract'
import type { createGroups } from '@gateway/domain'
import type { Engine, Queries } from '../database.ts'
import type { Condition, LogTable } from './conditions.ts'
import type { LogNames } from './names.ts'

export type Groups = ReturnType<typeof createGroups>

export interface Scan {
  engine: Engine
  names: LogNames
  queries: Queries
  table: LogTable
  conditions: readonly Condition[]
  aggregation: LogAggregation
}
