/**
 * Options of an LRU cache that holds at most `count` entries. Its own `max` allocates memory for all of them at
 * construction.
 * https://www.npmjs.com/package/lru-cache
 */
export const atMost = (count: number) => ({ maxSize: count, sizeCalculation: () => 1 })
