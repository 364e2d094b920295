/** Writes `docs/lifecycle.md`: part of `npm run docs`. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { lifecyclePage } from './lifecycle-page.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
writeFileSync(`${root}docs/lifecycle.md`, lifecyclePage(root))
