/** Describes in words how the cache handled a request. */
import type { Options } from '../resources/declare.ts'

export const cacheOptions: Options = [
  ['HIT', 'Hit'],
  ['SEMANTIC HIT', 'Semantic hit'],
  ['MISS', 'Miss'],
  ['SEMANTIC MISS', 'Semantic miss'],
  ['REFRESH', 'Refreshed'],
  ['DISABLED', 'Not used'],
]

export const cacheText = (status: unknown): string =>
  cacheOptions.find(([value]) => value === status)?.[1].toLowerCase() ?? '–'
