/** The result of one check of `gateway doctor`. */
export interface Finding {
  /** The subject, such as `store`. */
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** The remedy; absent if nothing needs to be done. */
  remedy?: string
}

export const ok = (check: string, message: string): Finding => ({ check, status: 'ok', message })

export const warning = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'warning',
  message,
  remedy,
})

export const failed = (check: string, message: string, remedy: string): Finding => ({
  check,
  status: 'failed',
  message,
  remedy,
})
