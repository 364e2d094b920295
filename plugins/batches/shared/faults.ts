/** Errors that files and batches share. */
import { type Fault, faultsError, GatewayError } from '@gateway/contract'

export const invalidBody = (param: string, message: string) =>
  new GatewayError('invalid_body', `${param === '' ? '/' : param}: ${message}`, { param })

export const notFound = (what: string, id: string, param: string) =>
  new GatewayError('not_found', `There is no ${what} "${id.slice(0, 100)}".`, { param })

export const conflict = (message: string, param: string | null = null) =>
  new GatewayError('conflict', message, param === null ? {} : { param })

export const tooLarge = (message: string, param: string) =>
  new GatewayError('body_too_large', message, { param })

export const noProvider = (message: string) =>
  new GatewayError('no_provider', message, { param: 'header/x-gateway-virtual-key' })

/** Throws if there are any errors. */
export function check(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faultsError(faults)
}

export const invalidFile = (param: string, message: string) =>
  new GatewayError('invalid_file', `${param}: ${message}`, { param })
