/**
 * better-sqlite3 in the version for this Node. Version 13 uses version 10 of Node-API, available from Node 22.14, and
 * is installed precompiled. Version 12 is for older Nodes: compiled with the headers of Node 24.19 or later it aborts
 * the process. https://nodejs.org/api/n-api.html#node-api-version-matrix, https://github.com/nodejs/node/issues/65446
 */
import { createRequire } from 'node:module'
import type Driver from 'better-sqlite3'

const hasNodeApi10 = Number(process.versions.napi) >= 10

/** The name is in a variable so that the bundler leaves the package outside of the bundle. */
const packageName = hasNodeApi10 ? 'better-sqlite3-node-api' : 'better-sqlite3'

export const SqliteDriver = createRequire(import.meta.url)(packageName) as typeof Driver
