/** `gateway export FILE`: exports the whole store into one file, which appears once it is complete. */
import { createWriteStream, existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { faultReason, isGatewayError, systemReason } from '@gateway/contract'
import { startProgress } from '../boot/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { openStore } from './open-store.ts'
import { exitCodes, UsageError } from './terminal.ts'
import { countRecords, type ExportSource, exportLines, leftOut } from './transfer/export-lines.ts'
import { describeCounts } from './transfer/record.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, configOption, 1)
    const [name] = positionals
    if (name === undefined) throw new UsageError('export needs a FILE.')
    const path = resolve(terminal.directory, name)
    if (existsSync(path)) {
      terminal.err(`${name} already exists and was not changed. Choose another name or remove it.\n`)
      return exitCodes.failed
    }
    const opened = await openStore(values, terminal)
    if (opened === null) return exitCodes.failed
    const { ports, sealer } = opened
    const partial = `${path}.part`
    try {
      const progress = await startProgress(terminal, {
        title: 'Exporting records',
        total: await countRecords(ports),
      })
      const refused: string[] = []
      const source: ExportSource = {
        ports,
        contents: opened.openContents(),
        refuse: ({ id }, reason) => refused.push(`The export does not contain the file ${id}: ${reason}.`),
      }
      const { lines, counts } = exportLines(source, sealer, { nowMs: Date.now(), onRecord: progress.advance })
      // The file contains key hashes and logged bodies.
      await pipeline(Readable.from(lines), createWriteStream(partial, { mode: 0o600 })).finally(progress.end)
      await rename(partial, path)
      terminal.out(`${name}: ${describeCounts(counts)}.\n`)
      terminal.out('Its secrets are encrypted: to import it, set the same GATEWAY_ENCRYPTION_KEY.\n')
      terminal.out(`Not included: ${leftOut}.\n`)
      for (const line of refused) terminal.err(`${line}\n`)
      return refused.length === 0 ? exitCodes.done : exitCodes.failed
    } catch (error) {
      if (!isGatewayError(error) && systemReason(error) === null) throw error
      terminal.err(`The export failed: ${faultReason(error)}\n`)
      return exitCodes.failed
    } finally {
      await rm(partial, { force: true })
      await ports.close()
    }
  },
}
