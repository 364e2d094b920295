/** Paths of the checkout. This file runs as `test/dist/bench/paths.js`. */
import { fileURLToPath } from 'node:url'

const fromHere = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The top of the repository. */
export const ROOT = fromHere('../../../')
/** `test/bench`, where the sources and the reference package's files are. */
export const BENCH_SOURCES = fromHere('../../bench/')
/** The compiled script of the bench at a path such as `targets/mock.js`. */
export const script = fromHere
