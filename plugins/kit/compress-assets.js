/** Compresses files for browsers once, at the build, instead of for each request. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'

/** Writes `NAME.br` and `NAME.gz` beside every file of the folder that lacks them. */
export function compressAll(folder) {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (/\.(br|gz)$/.test(name) || existsSync(`${file}.br`)) continue
    const bytes = readFileSync(file)
    writeFileSync(`${file}.br`, brotliCompressSync(bytes))
    writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
  }
}
