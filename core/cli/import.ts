/** `gateway import FILE`: imports an export into the store. The whole file is validated before anything is written. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { faultReason, isGatewayError } from '@gateway/contract'
import { startProgress } from '../boot/index.ts'
import { type Command, configOption, readArguments } from './command.ts'
import { type OpenedStore, openStore } from './open-store.ts'
import { exitCodes, type Terminal, UsageError } from './terminal.ts'
import { checkLines } from './transfer/check-lines.ts'
import { importLines } from './transfer/import-lines.ts'
import { readLines } from './transfer/read-lines.ts'
import { describeCounts } from './transfer/record.ts'

export const command: Command = {
  async run(words, terminal) {
    const { values, positionals } = readArguments(words, { ...configOption, merge: { type: 'boolean' } }, 1)
    const [name] = positionals
    if (name === undefined) throw new UsageError('import needs a FILE.')
    const path = resolve(terminal.directory, name)
    if (!existsSync(path)) {
      terminal.err(`The file ${name} does not exist.\n`)
      return exitCodes.failed
    }
    const opened = await openStore(values, terminal)
    if (opened === null) return exitCodes.failed
    try {
      return await importFile({ name, path, isMerged: values.merge === true }, opened, terminal)
    } catch (error) {
      if (!isGatewayError(error)) throw error
      terminal.err(`${faultReason(error)}\n`)
      return exitCodes.failed
    } finally {
      await opened.ports.close()
    }
  },
}

async function importFile(
  { name, path, isMerged }: { name: string; path: string; isMerged: boolean },
  { ports, sealer, openContents }: OpenedStore,
  terminal: Terminal,
): Promise<number> {
  const counts = await checkLines(readLines(path), sealer)
  if (!isMerged && (await ports.documents.scan(null, null, 1)).length > 0) {
    terminal.err(
      'The store is not empty. Use --merge to replace records that have the same ids and keep all others.\n',
    )
    return exitCodes.failed
  }
  const records = Object.values(counts).reduce((sum, count) => sum + count, 0)
  const progress = await startProgress(terminal, { title: 'Importing records', total: records })
  try {
    const target = { ports, contents: openContents(), sealer }
    await importLines(counting(readLines(path), progress.advance), target).finally(progress.end)
  } catch (error) {
    terminal.err('The import failed partway. Fix the error below, then run it again with --merge:\n')
    throw error
  }
  terminal.out(`${name}: ${describeCounts(counts)} imported. Restart the gateways of this store.\n`)
  return exitCodes.done
}

async function* counting(lines: AsyncIterable<string>, advance: () => void): AsyncIterable<string> {
  for await (const line of lines) {
    yield line
    advance()
  }
}
