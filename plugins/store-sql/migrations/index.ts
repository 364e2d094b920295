/**
 * Every migration, in order. A published one is never changed (a test compares its statements); corrections are new
 * migrations. Two were changed in early versions: `repairs.ts` corrects what their earlier forms have made.
 */
import type { Migration } from '../migrate.ts'
import { documents } from './001-documents.ts'
import { log } from './002-log.ts'
import { blobs } from './003-blobs.ts'
import { vectors } from './004-vectors.ts'
import { shared } from './005-shared.ts'
import { counters } from './006-counters.ts'
import { documentCounts } from './007-document-counts.ts'
import { logFacts } from './008-log-facts.ts'
import { work } from './009-work.ts'
import { vectorSigns } from './010-vector-signs.ts'
import { packedTraces } from './011-packed-traces.ts'
import { logErasures } from './012-log-erasures.ts'
import { aggregateSource } from './013-aggregate-source.ts'
import { keyedTables } from './014-keyed-tables.ts'
import { repairFirstLog, repairFirstTraces } from './repairs.ts'

export const migrations: readonly Migration[] = [
  documents,
  log,
  blobs,
  vectors,
  shared,
  counters,
  documentCounts,
  { ...logFacts, prepare: repairFirstLog },
  work,
  vectorSigns,
  packedTraces,
  { ...logErasures, prepare: repairFirstTraces },
  aggregateSource,
  keyedTables,
]
