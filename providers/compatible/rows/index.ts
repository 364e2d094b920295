/** The catalogue: every provider that speaks the compatible format, one row each. */
import type { CompatibleRow } from '@gateway/provider-kit'
import { asia } from './asia.ts'
import { local } from './local.ts'
import { retrieval } from './retrieval.ts'
import { west } from './west.ts'

export const rows: readonly CompatibleRow[] = [...west, ...asia, ...retrieval, ...local]
