/** The part of the log that a caller may see, for other services that read it. */
export { filterText } from './exports/data.ts'
export { filterProperties, readFilters, withTimes } from './filters.ts'
export { dayMs, retentionOf } from './retention.ts'
export { type Sight, seesOwnOnly, sightOf } from './sight.ts'
