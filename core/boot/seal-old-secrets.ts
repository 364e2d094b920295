/**
 * Checks that the store's secrets are encrypted with this gateway's key, and seals those that an earlier version stored
 * in clear. If the store is unavailable at startup, this is retried in the background until the store answers
 * or the gateway stops.
 */
import { type Documents, faultReason, isGatewayError } from '@gateway/contract'
import { sleep } from '@gateway/flow'
import type { Logger } from 'pino'
import { claimMasterKey, type MasterSealer, migrateSecrets } from '../tenancy/index.ts'

const againMs = 1000

export interface SealingOptions {
  documents: Documents
  sealer: MasterSealer
  log: Pick<Logger, 'info' | 'error'>
  /** Ends early when the signal fires. */
  wait?: typeof sleep
}

export interface Sealing {
  /** Resolves when everything is sealed, or when sealing was stopped. */
  readonly done: Promise<void>
  /** The reason why the gateway cannot use this store's secrets, found when the store answered after the start. */
  readonly fault: string | null
  /** Stops retrying; resolves when no attempt is running. */
  stop(): Promise<void>
}

/** Resolves after the first attempt. Rejects with its error unless the store was unavailable. */
export async function sealOldSecrets({
  documents,
  sealer,
  log,
  wait = sleep,
}: SealingOptions): Promise<Sealing> {
  const stopping = new AbortController()
  let fault: string | null = null

  /** Returns whether the store answered. */
  async function seal(): Promise<boolean> {
    try {
      await claimMasterKey(documents, sealer, Date.now())
      const migrated = await migrateSecrets(documents, sealer, Date.now())
      if (migrated > 0) log.info({ documents: migrated }, 'encrypted secrets stored by an earlier version')
      return true
    } catch (error) {
      if (!isGatewayError(error) || error.code !== 'store_unavailable') throw error
      return false
    }
  }

  async function goOn(): Promise<void> {
    try {
      do await wait(againMs, stopping.signal)
      while (!stopping.signal.aborted && !(await seal()))
    } catch (error) {
      fault = faultReason(error)
      log.error({ reason: fault }, "failed to check the store's secrets; the gateway is not ready")
    }
  }

  const done = (await seal()) ? Promise.resolve() : goOn()
  return {
    done,
    get fault() {
      return fault
    },
    async stop() {
      stopping.abort()
      await done
    },
  }
}
