/**
 * better-sqlite3 in the version for this Node. Version 13 uses version 10 of Node-API, which Node has from 22.14 on, and comes
 * compiled. Version 12 is for older Nodes: compiled with the headers of Node 24.19 or later it aborts the process.
 * https://nodejs.org/api/n-api.html#node-api-version-matrix, https://github.com/nodejs/node/issues/65446
 */
import { createRequire } from 'node:module'
import type Driver from 'better-sqlite3'

const hasNodeApi10 = Number(process.versions.napi) >= 10

/** A name in a variable: the bundle leaves what is loaded this way where it is installed. */
const packageName = hasNodeApi10 ? 'better-sqlite3-node-api' : 'better-sqlite3'

export const SqliteDriver = createRequire(import.meta.url)(packageName) as typeof Driver
