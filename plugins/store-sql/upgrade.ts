/** Upgrades a store to this program's schema: runs migrations, adds the log's new columns, and orders its contents. */
import type { Database } from './database.ts'
import { addLogColumns } from './log/add-columns.ts'
import { orderContents } from './log/order-contents.ts'
import { type MigrateOptions, migrate, migrateFiles, type Part } from './migrate.ts'
import { migrations } from './migrations/index.ts'

/** Upgrades Postgres, or a database that contains everything. Returns the versions of the applied migrations. */
export async function upgrade(database: Database, options: MigrateOptions = {}): Promise<number[]> {
  const applied = await migrate(database, migrations, options)
  await addLogColumns(database)
  await orderContents(database, options)
  return applied
}

/** Upgrades SQLite's two files. */
export async function upgradeFiles(
  files: Record<Part, Database>,
  options: MigrateOptions = {},
): Promise<void> {
  await migrateFiles(files, migrations, options)
  await addLogColumns(files.log)
  await orderContents(files.log, options)
}
