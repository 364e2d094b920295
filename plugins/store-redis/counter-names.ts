/** The key prefixes of counters. */
import { keyPrefix } from './connection.ts'

export const usePrefix = `${keyPrefix}:counter:use:`
export const leasesPrefix = `${keyPrefix}:counter:leases:`
export const attemptPrefix = `${keyPrefix}:counter:attempt:`
/** The index of budgets: windows expire by themselves, but budgets must be listed. */
export const budgets = `${keyPrefix}:counter:budgets`
/** The outcomes of a process's last calls. */
export const callsPrefix = `${keyPrefix}:counter:calls:`
