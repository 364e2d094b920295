/** The catalogue: every provider of the compatible format, one row each. */
import type { CompatibleRow } from '@gateway/provider-kit'
import { asia } from './asia.ts'
import { local } from './local.ts'
import { retrieval } from './retrieval.ts'
import { westAtoH } from './west-a-h.ts'
import { westItoZ } from './west-i-z.ts'

export const rows: readonly CompatibleRow[] = [...westAtoH, ...westItoZ, ...asia, ...retrieval, ...local]
