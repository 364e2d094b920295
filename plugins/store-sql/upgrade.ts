/** Brings a store to this program's schema: its migrations, and the columns that the log has got since. */
import type { Database } from './database.ts'
import { addLogColumns } from './log/add-columns.ts'
import { type MigrateOptions, migrate, migrateFiles, type Part } from './migrate.ts'
import { migrations } from './migrations/index.ts'

/** Of Postgres, or a database with everything in it. Returns the versions of the migrations that it applied. */
export async function upgrade(database: Database, options: MigrateOptions = {}): Promise<number[]> {
  const applied = await migrate(database, migrations, options)
  await addLogColumns(database)
  return applied
}

/** Of SQLite's two files. */
export async function upgradeFiles(
  files: Record<Part, Database>,
  options: MigrateOptions = {},
): Promise<void> {
  await migrateFiles(files, migrations, options)
  await addLogColumns(files.log)
}
