/** Frees the leases of processes that ended without releasing them. Only for the process that has locked the store. */
import { existsSync } from 'node:fs'
import { SqliteDriver } from './sqlite-driver.ts'

/** Tokens stay, because a fencing token must never be issued twice. */
const statements: Readonly<Record<string, string>> = {
  work_leases: 'update work_leases set ends_at = 0',
  counter_leases: 'delete from counter_leases',
}

/** Another command, such as `gateway export`, may be writing. */
const busyTimeoutMs = 10_000

/** Throws SQLite's errors. */
export function freeLeases(path: string): void {
  if (!existsSync(path)) return
  const driver = new SqliteDriver(path, { timeoutMs: busyTimeoutMs })
  try {
    const exists = driver.prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
    for (const [table, statement] of Object.entries(statements))
      if (exists.all([table]).length > 0) driver.exec(statement)
  } finally {
    driver.close()
  }
}
