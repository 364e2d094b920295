/**
 * On a single core, the helper threads of V8's young-generation collector only compete with the main thread and make
 * a collection a third slower.
 */
import { setFlagsFromString } from 'node:v8'

export const useSingleThreadScavenges = (): void => setFlagsFromString('--no-parallel-scavenge')
