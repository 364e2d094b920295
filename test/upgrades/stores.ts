/** The stores whose data is kept, each as files: SQLite's data folder, and a dump of a Postgres database in SQL. */
import { execFileSync } from 'node:child_process'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import pg from 'pg'

/** Every file below a folder, except the locks of a gateway that runs. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile() && !/\.lock(?:-owner|-journal)?$/.test(entry.name))
  return files.map((entry) => relative(folder, join(entry.parentPath, entry.name)))
}

export async function keepFolder(from: string, folder: string): Promise<void> {
  for (const path of await filesBelow(from)) {
    const to = join(folder, `${path}.gz`)
    await mkdir(dirname(to), { recursive: true })
    await writeFile(to, gzipSync(await readFile(join(from, path)), { level: 9 }))
  }
}

export async function restoreFolder(folder: string, to: string): Promise<void> {
  for (const path of await filesBelow(folder)) {
    const file = join(to, path.replace(/\.gz$/, ''))
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeFile(file, gunzipSync(await readFile(join(folder, path))), { mode: 0o600 })
  }
}

export async function keepDatabase(url: string, file: string): Promise<void> {
  const words = ['--inserts', '--no-owner', '--no-privileges', url]
  const dump = execFileSync('pg_dump', words, { encoding: 'utf8', maxBuffer: 1024 ** 3 })
  // Removes commands of psql, and settings that older servers do not know.
  const lines = dump.split('\n').filter((line) => !/^(?:\\|SET transaction_timeout|--|$)/.test(line))
  await writeFile(file, gzipSync(lines.join('\n'), { level: 9 }))
}

/** @param url of an empty database */
export async function restoreDatabase(file: string, url: string): Promise<void> {
  await runSql(url, gunzipSync(await readFile(file)).toString())
}

/** Shifts the clock of a database, from which gateways take the time of their counters. @param url of the database */
export async function shiftDatabaseClock(url: string, shiftMs: number): Promise<void> {
  const name = new URL(url).pathname.slice(1)
  await runSql(
    url,
    `CREATE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE
       AS $$ SELECT pg_catalog.clock_timestamp() + ${shiftMs} * interval '1 millisecond' $$;
     ALTER DATABASE "${name}" SET search_path = public, pg_catalog`,
  )
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
