/** Shared by the scenarios: the mock, the load generator, and the lists of results. */

import { stopChild } from './children.ts'
import type { PreparedGateway } from './gateway-config.ts'
import type { LoadClient } from './load/load-client.ts'
import type { Machine } from './machine.ts'
import type { Effort } from './options.ts'
import type { ContestRun } from './remarks.ts'
import type { Row } from './rows.ts'
import type { Series } from './series.ts'
import { type Server, type ServerName, startServer } from './servers.ts'

export interface Bench {
  effort: Effort
  machine: Machine
  mock: Server
  load: LoadClient
  /** Servers that cannot be measured. */
  missing: Set<ServerName>
  /** Notes for the reader of the table. */
  notes: string[]
  /** Every single run, by contest. */
  runs: ContestRun[]
  /** The plotted series. */
  series: Series[]
}

export interface Scenario {
  /** The name for `--only`. */
  name: string
  run(bench: Bench): Promise<Row[]>
}

/** Options for starting the servers of a scenario in another than the usual way. */
interface Setting {
  workers?: number
  cores?: readonly number[]
  label?: string
  prepared?: PreparedGateway
  /** The flags of Node, instead of the usual ones; only for the gateway. */
  nodeFlags?: readonly string[]
}

interface WithServersOptions<Result> {
  use: (servers: Server[]) => Promise<Result>
  setting?: Setting
}

/**
 * Starts the servers, passes those that started to `use`, and stops them. `direct` is the mock, which is already
 * running. A server that does not start is noted and skipped.
 */
export async function withServers<Result>(
  bench: Bench,
  names: readonly ServerName[],
  { use, setting = {} }: WithServersOptions<Result>,
): Promise<Result> {
  const servers: Server[] = []
  try {
    for (const name of names) {
      const server = name === 'direct' ? bench.mock : await tryStart(bench, name, setting)
      if (server !== null) servers.push(server)
    }
    return await use(servers)
  } finally {
    await Promise.all(servers.filter((server) => server !== bench.mock).map(({ child }) => stopChild(child)))
  }
}

/** Starts a server; null, with a note, when that fails. */
async function tryStart(bench: Bench, name: ServerName, setting: Setting): Promise<Server | null> {
  if (bench.missing.has(name)) return null
  try {
    return await startServer(name, {
      mockPort: bench.mock.port,
      cores: bench.machine.pins === null ? null : (setting.cores ?? bench.machine.pins.server),
      workers: setting.workers ?? 1,
      label: setting.label ?? name,
      ...(setting.prepared === undefined ? {} : { prepared: setting.prepared }),
      ...(setting.nodeFlags === undefined ? {} : { nodeFlags: setting.nodeFlags }),
    })
  } catch (error) {
    bench.missing.add(name)
    bench.notes.push(
      `${name} could not be measured: ${error instanceof Error ? error.message : String(error)}`,
    )
    return null
  }
}
