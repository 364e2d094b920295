/** What `gateway doctor` found in one respect. */
export interface Finding {
  /** The subject, such as `store`. */
  check: string
  status: 'ok' | 'warning' | 'failed'
  message: string
  /** What to do about it; absent if nothing. */
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
