/**
 * The tests of services that run on every store (in memory, SQLite, Postgres), because the tested behaviour depends on
 * the engine: transactions, uniqueness, feeds, filters, order, pages, sums, leases, migrations. The other tests of
 * services run on the in-memory store only. Add a file here when its behaviour depends on how documents are stored or
 * read.
 */
const namesByFolder: Readonly<Record<string, readonly string[]>> = {
  'core/tenancy/workspaces': ['stored'],
  'plugins/batches': [
    'batches',
    'deleted-batches',
    'expiry',
    'file-stores',
    'files',
    'provider-resume',
    'reservation',
  ],
  'plugins/control-plane': [
    'api-keys',
    'api-keys-rotation',
    'audit',
    'bootstrap',
    'configs',
    'engine',
    'events',
    'exhausted',
    'integrations',
    'members',
    'provider-expiry',
    'restored',
    'sessions',
    'usage-resets',
    'webhook-delivery',
    'workspaces',
  ],
  'plugins/mcp': ['oauth', 'tokens'],
  'plugins/observability': [
    'analytics',
    'bodies',
    'columns',
    'erasure',
    'exports',
    'freshness',
    'ingest',
    'logs',
    'own-store',
    'stream',
    'visibility-rows',
  ],
  'plugins/scim': ['filters', 'groups', 'patch', 'users'],
}

/** Names as in {@link TestFile}. */
export const storeFiles: ReadonlySet<string> = new Set(
  Object.entries(namesByFolder).flatMap(([folder, names]) =>
    names.map((name) => `${folder}/${name}.test.ts`),
  ),
)

/** The tests that run on ClickHouse as well. */
export const logFiles: ReadonlySet<string> = new Set([
  'core/cli/logs.test.ts',
  ...[...storeFiles].filter((name) => name.startsWith('plugins/observability/')),
])
