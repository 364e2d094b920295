/** Files and batches: those that the gateway keeps and runs itself, and those of providers. */
import type { ServicePlugin } from '@gateway/contract'
import { createFileLibrary } from './files/library.ts'
import { fileHandlers } from './files/routes.ts'
import { createAuditLog } from './shared/audit.ts'

const sweepMs = 600_000

const plugin: ServicePlugin = {
  name: 'batches',
  title: 'Files and batches',
  open(context) {
    const files = createFileLibrary(context)
    const audit = createAuditLog(context)
    return {
      routes: [],
      endpoints: fileHandlers({ context, files, audit, reader: async () => null }),
      jobs: [{ name: 'files', intervalMs: sweepMs, run: (nowMs) => files.sweep(nowMs) }],
    }
  },
}

export default plugin
