/** With one core to itself the helper threads of V8's young-generation collector only take turns with it, at a third more. */
import { setFlagsFromString } from 'node:v8'

export const useSingleThreadScavenges = (): void => setFlagsFromString('--no-parallel-scavenge')
